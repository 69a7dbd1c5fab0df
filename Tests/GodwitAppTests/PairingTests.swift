import Foundation
import Godwit
import GodwitModel
import GodwitSimulator
import Testing

@testable import GodwitApp
@testable import GodwitPhone

@Suite("Pairing with a QR code")
@MainActor
struct PairingTests {
  private func opened() throws -> AppPhone {
    let app = try AppPhone()
    app.finishOnboarding()
    return app
  }

  @Test(
    "an invalid code is rejected with a reason and changes nothing",
    arguments: [
      ("", "set-up link"),
      ("https://home.example", "set-up link"),
      ("WIFI:S:home;T:WPA;P:secret;;", "set-up link"),
      ("godwit://other?url=https%3A%2F%2Fhome.example", "set-up link"),
      ("godwit://setup", "no settings"),
      ("godwit://setup?url=ftp%3A%2F%2Fhome.example", "url"),
      ("godwit://setup?url=not%20an%20address", "url"),
      ("godwit://setup?token=abc", "no url"),
      ("godwit://setup?url=https%3A%2F%2Fhome.example&token=a%20b", "blanks"),
      ("godwit://setup?url=https%3A%2F%2Fhome.example&format=unknown", "format"),
      ("godwit://setup?main.min_distance=7m", "min_distance"),
      ("godwit://setup?no_setting=1", "not a setting"),
      ("godwit://setup?url=https%3A%2F%2Fa.example&url=https%3A%2F%2Fb.example", "twice"),
    ])
  func isRejected(code: String, reason: String) throws {
    let app = try opened()
    let before = app.model.settings.history
    let pairing = app.model.pairing
    pairing.begin()
    #expect(pairing.isScanning && pairing.isShown)
    pairing.scanned(code)
    #expect(pairing.hasFailed && !pairing.isConfirming && pairing.message.contains(reason), "\(pairing.message)")
    pairing.confirm()
    app.settle()
    #expect(app.model.servers.rows.isEmpty && app.model.settings.history == before)
    pairing.again()
    #expect(pairing.isScanning)
    app.end()
  }

  @Test("the changes of a code are shown first, and need a confirmation")
  func confirmation() throws {
    let app = try opened()
    let pairing = app.model.pairing
    pairing.begin()
    pairing.scanned(pairingLink)
    #expect(pairing.isConfirming)
    #expect(pairing.changes.first?.value == "home.example/api/overland")
    #expect(pairing.changes.contains { $0.title == "Access token" && $0.value == "included" })
    #expect(!pairing.changes.contains { $0.value.contains("secret-1") })
    #expect(pairing.changes.contains { $0.id == "send_interval" && $0.value == "5 min → 1 min" })
    #expect(pairing.effectText == "Records will be sent to a new server.")
    #expect(pairing.exposureText == nil)
    // The camera reports the same code again.
    pairing.scanned("godwit://setup")
    #expect(pairing.isConfirming)
    pairing.close()
    app.settle()
    #expect(app.model.servers.rows.isEmpty && app.model.settings.field("send_interval")?.valueText == "5 min")
    app.end()
  }

  @Test("a token over http has a warning before the confirmation")
  func exposure() throws {
    let app = try opened()
    app.model.open(link: "overland://setup?url=http%3A%2F%2Fhome.example%2Fapi&token=abc")
    #expect(app.model.pairing.isShown && app.model.pairing.isConfirming)
    #expect(app.model.pairing.exposureText != nil)
    app.end()
  }

  @Test("a second code of the same server changes its token and keeps its cursor in the journal")
  func again() throws {
    let app = try opened()
    app.pair()
    app.pair(pairingLink.replacing("secret-1", with: "secret-2"))
    #expect(app.model.servers.rows.count == 1)
    #expect(try app.disk.credentials.token("home.example") == "secret-2")
    app.pair("godwit://setup?url=https%3A%2F%2Fhome.example%2Fother")
    #expect(app.model.servers.rows.map(\.id) == ["home.example", "home.example-2"])
    app.end()
  }

  @Test("a link with settings only adds no server, and is in the history with its values")
  func settingsOnly() throws {
    let app = try opened()
    app.model.pairing.begin()
    app.model.pairing.typedLink = " godwit://setup?main.min_distance=10m&device_id=phone \n"
    #expect(app.model.pairing.canReadLink)
    app.model.pairing.readTypedLink()
    #expect(app.model.pairing.effectText == "This changes settings only.")
    app.model.pairing.confirm()
    #expect(app.model.pairing.isDone)
    app.settle()
    #expect(app.model.servers.rows.isEmpty)
    #expect(app.model.settings.field("device_id")?.text == "phone")
    #expect(app.model.settings.history.contains { $0.text == "Off → 10 m" })
    app.end()
  }

  @Test("without the camera a link can be pasted")
  func noCamera() throws {
    let app = try opened()
    app.model.pairing.begin()
    app.model.pairing.cameraDenied()
    #expect(app.model.pairing.isCameraDenied && app.model.pairing.message.contains("camera"))
    app.model.pairing.openSystemSettings()
    #expect(app.installed.settingsOpened == 1)
    app.model.pairing.typedLink = pairingLink
    app.model.pairing.readTypedLink()
    #expect(app.model.pairing.isConfirming)
    app.end()
  }
}
