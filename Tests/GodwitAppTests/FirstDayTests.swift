import Foundation
import Godwit
import GodwitEngine
import GodwitModel
import GodwitSimulator
import Testing

@testable import GodwitApp
@testable import GodwitPhone

@Suite("The app on a phone: first days")
@MainActor
struct FirstDayTests {
  @Test("onboarding requests each permission with its reason, and is not shown again")
  func onboarding() throws {
    let app = try AppPhone(response: .always)
    app.settle()
    #expect(app.model.showsOnboarding && !app.model.showsScreens)
    var steps: [String] = []
    while app.model.showsOnboarding, steps.count < 10 {
      let onboarding = app.model.onboarding
      steps.append(onboarding.step?.rawValue ?? "")
      #expect(!onboarding.title.isEmpty && !onboarding.reason.isEmpty && !onboarding.actionLabel.isEmpty)
      if onboarding.step == .server { onboarding.skip() } else { onboarding.act() }
      app.settle()
    }
    // After the response "always" there is no second prompt.
    #expect(steps.first == "welcome" && steps.dropFirst().first == "whenInUse")
    #expect(steps.suffix(3) == ["motion", "notifications", "server"])
    #expect(app.installed.asked == ["motion", "notifications"])
    #expect(app.model.settings.field("notifications")?.isOn == true)
    app.apply(.kill)
    app.apply(.open)
    app.settle()
    #expect(app.launches == [.opened, .opened])
    #expect(app.model.showsScreens)
    app.end()
  }

  @Test("a code is scanned, tracking turned on, and every record of the day arrives at the server once")
  func pairedDay() throws {
    let app = try AppPhone("+1m close")
    app.finishOnboarding()
    app.pair()
    #expect(app.model.servers.rows.map(\.name) == ["home.example"])
    #expect(app.disk.fileTexts.allSatisfy { !$0.contains("secret-1") }, "the token is in the Keychain only")
    app.model.tracker.isTracking = true
    #expect(app.model.tracker.isTracking, "the switch follows at once")
    app.run(until: hours(8.4))
    #expect(app.model.tracker.title == "Recording")
    #expect(app.model.tracker.locationText != "–" && app.model.tracker.ageText.hasSuffix(" s"))
    app.run(until: hours(24))
    #expect(app.records.count > 8_000)
    #expect(app.arrivedOnce())
    #expect((app.model.tracker.queuedText as NSString).integerValue < 100)
    app.end()
  }
}

@Suite("The app in another language")
@MainActor
struct TranslationTests {
  @Test("the screens of a day have no English labels in another language", arguments: ["de", "fr", "es", "sl"])
  func translated(language: String) throws {
    let app = try AppPhone { $0.languages = ["\(language)-XX"] }
    app.finishOnboarding()
    app.pair()
    app.model.tracker.isTracking = true
    app.run(until: hours(8.4))
    let english = AppTexts()
    let model = app.model
    let pairs: [(String, String)] = [
      (model.tracker.title, "Recording"), (model.tracker.trackingLabel, english(.trackingEnabled)),
      (model.trip.title, english(.noTrip)), (model.trip.modeLabel, "Bicycle"), (model.settings.title, english(.settings)),
      (model.settings.sections.first?.title ?? "", "The device"), (model.settings.permissionText, "Always"),
      (model.coverage.segments.last?.title ?? "", "Recorded"), (model.actions.stopTrip(), english(.saidNoTrip)),
      (model.about.deleteLabel, english(.deleteAll)),
    ]
    for (shown, original) in pairs { #expect(shown != original && !shown.isEmpty, "\(language): \(shown)") }
    #expect(model.tracker.accuracyText.contains("±"))
    app.end()
  }
}
