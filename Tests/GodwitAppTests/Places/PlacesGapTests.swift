import Foundation
import Godwit
import GodwitEngine
import GodwitModel
import Testing

@testable import GodwitApp
@testable import GodwitPhone

@Suite("The gaps of the last 24 hours")
@MainActor
struct PlacesGapTests {
  @Test("a time without permission and a time without the app are listed with their reasons, newest first")
  func gaps() throws {
    let app = try AppPhone(
      "+1m close\n+3h force-quit\n+5h open\n+5h02m close\n+9h permission denied\n+11h permission authorized_always")
    app.finishOnboarding()
    app.pair()
    app.model.tracker.isTracking = true
    app.run(until: hours(14))
    let coverage = app.model.coverage
    let gaps = coverage.gaps
    let permission = try #require(gaps.firstIndex { $0.title == "No permission" })
    let killed = try #require(gaps.firstIndex { $0.title == "Not running" })
    #expect(permission < killed, "\(gaps)")
    #expect(gaps[permission].level == .bad && gaps[permission].explanation.contains("system"))
    #expect(gaps[permission].accessibilityLabel.hasPrefix("No permission, "))
    #expect(gaps.allSatisfy { $0.level == .bad || $0.level == .warning })
    #expect(!gaps.contains { $0.title == "Recorded" || $0.title == "Off" })
    #expect(coverage.accessibilitySummary.hasSuffix("gaps: \(gaps.count)") && coverage.noGapsText == nil)
    app.end()
  }

  @Test("without a coverage log the screen has a message and no gaps")
  func empty() {
    let coverage = CoverageModel(closedState())
    #expect(coverage.gaps.isEmpty && coverage.noGapsText == nil && coverage.accessibilitySummary == coverage.emptyText)
  }
}
