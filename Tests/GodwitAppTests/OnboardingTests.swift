import Foundation
import Godwit
import GodwitModel
import GodwitSimulator
import Testing

@testable import GodwitApp
@testable import GodwitPhone

@Suite("Onboarding")
@MainActor
struct OnboardingTests {
  private func begun(_ response: SimulatedPhone.PermissionResponse) throws -> AppPhone {
    let app = try AppPhone(response: response)
    app.settle()
    app.model.onboarding.act()
    #expect(app.model.onboarding.step == .whenInUse)
    return app
  }

  @Test("location is requested in two steps; after the second prompt the app links to the settings")
  func twoSteps() throws {
    let app = try begun(.whileUsing)
    let onboarding = app.model.onboarding
    #expect(onboarding.reason.contains("the next step is about the background"))
    onboarding.act()
    app.settle()
    #expect(onboarding.step == .always && onboarding.actionLabel == "Allow always" && onboarding.skipLabel == "Not now")
    onboarding.act()
    app.settle()
    #expect(onboarding.step == .always && onboarding.actionLabel == "Open Settings" && onboarding.skipLabel == "Continue")
    onboarding.act()
    #expect(app.installed.settingsOpened == 1)
    app.apply(.permission(.always))
    app.settle()
    #expect(onboarding.step == .motion)
    app.end()
  }

  @Test("limited permission is not requested again, and the Tracker screen names the missing permission")
  func onlyWhileUsing() throws {
    let app = try begun(.whileUsing)
    app.model.onboarding.act()
    app.settle()
    app.model.onboarding.skip()
    #expect(app.model.onboarding.step == .motion)
    let alert = try #require(app.model.tracker.alerts.first)
    #expect(alert.id == "permission" && alert.action == .openSystemSettings && alert.text.contains("\"Always\""))
    app.end()
  }

  @Test("after a denial the screen links to the settings, and onboarding continues without permission")
  func denied() throws {
    let app = try begun(.deny)
    let onboarding = app.model.onboarding
    onboarding.act()
    app.settle()
    #expect(onboarding.step == .whenInUse && onboarding.actionLabel == "Open Settings" && onboarding.reason.contains("Settings"))
    onboarding.act()
    #expect(app.installed.settingsOpened == 1)
    onboarding.skip()
    #expect(onboarding.step == .motion, "without the first permission the second one is not requested")
    app.end()
  }

  @Test("every step except the first can be skipped, and is not shown at the next launch")
  func skipped() throws {
    let app = try begun(.always)
    #expect(app.model.onboarding.progressText == "2 of 6")
    for _ in 0..<10 where app.model.showsOnboarding { app.model.onboarding.skip() }
    #expect(app.model.showsScreens && app.installed.asked.isEmpty)
    app.apply(.kill)
    app.apply(.open)
    app.settle()
    #expect(app.model.showsScreens)
    app.model.tracker.isTracking = true
    app.settle()
    #expect(app.model.tracker.alerts.map(\.action) == [.addServer], "turning tracking on requests the permission")
    app.end()
  }

  @Test("the last step opens the scanner")
  func scans() throws {
    let app = try begun(.always)
    while let step = app.model.onboarding.step, step != .server { app.model.onboarding.skip() }
    app.model.onboarding.act()
    #expect(app.model.showsScreens && app.model.pairing.isShown && app.model.pairing.isScanning)
    app.end()
  }

  @Test("after damage to the file of completed steps, onboarding is shown again")
  func damaged() throws {
    let app = try AppPhone()
    try app.disk.files.write(OnboardingModel.file, Data("[".utf8))
    app.settle()
    #expect(app.model.onboarding.step == .welcome)
    app.end()
  }
}
