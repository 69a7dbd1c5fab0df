import Foundation
import TestClient
import TestParts
import Testing

@testable import GodwitTransfer

/// Only the trash and the audit log contain the name of a deleted device.
@Suite("A deleted device", .serialized, .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
struct DeletedDevicePageTests {
  private static let name = "zanzibar"

  /// Returns the paths of the pages that contain the name, also in forms and links.
  private func pages(_ browser: Chromium, _ server: RunningServer) async throws -> [String] {
    var found: [String] = []
    for page in CheckedPage.all where page.needsSession && page.path != "/trash" {
      try await browser.visit("about:blank")
      try await browser.visit("http://127.0.0.1:\(server.port)\(page.path)")
      try await browser.wait(page.isReady)
      if try await browser.value("document.documentElement.outerHTML.includes('\(Self.name)')", as: Bool.self) {
        found.append(page.path)
      }
    }
    return found
  }

  @Test("is gone from every page, every export and every backup made afterwards", .timeLimit(.minutes(10)))
  func gone() async throws {
    let server = try await RunningServer()
    let administrator = try server.administratorToken
    let address = "http://127.0.0.1:\(server.port)"
    #expect(try await ask("POST", server.endpoint, DayOfTests.overland(), token: server.token).status == 200)
    let added = try Executable.run(["device", "add", Self.name, "--data", server.data, "--json"])
    let object = try #require(JSONSerialization.jsonObject(with: added.output) as? [String: Any])
    let token = try #require(object["token"] as? String)
    let there = DayOfTests.overland().replacing("14.5", with: "21.75")
    #expect(try await ask("POST", server.endpoint, there, token: token).status == 200)
    let share = try await ask(
      "POST", "\(address)/api/v1/links", #"{"devices":["\#(Self.name)"],"name":"Walk"}"#, token: administrator)
    #expect(share.status == 201, "\(share.text)")
    let settings = try await ask(
      "PUT", "\(address)/api/v1/devices/\(Self.name)/settings", #"{"send_interval":"10s"}"#, token: administrator)
    #expect(settings.status == 200, "\(settings.text)")

    let browser = try await Chromium()
    try await server.login(browser)
    let before = try await pages(browser, server)
    // These pages show devices. If they did not contain the name now, the check after the deletion would be useless.
    for path in ["/timeline?day=2026-05-04", "/devices", "/account"] { #expect(before.contains(path), "\(path): \(before)") }

    try await browser.visit("\(address)/devices#\(Self.name)")
    try await browser.wait("document.body.dataset.state === 'device' && !!document.querySelector('.row.end button')")
    try await browser.click(".row.end button")
    try await browser.wait("!!document.querySelector('dialog')")
    try await browser.click("dialog .main")
    try await browser.wait("document.body.dataset.state === 'list' && !!document.querySelector('.undo-notice')")

    #expect(try await pages(browser, server) == [])
    let points = try await ask("GET", "\(address)/api/v1/points?device=\(Self.name)", token: administrator)
    #expect(points.status == 404)
    let export = try await ask("GET", "\(address)/api/v1/export/all", token: administrator)
    #expect(export.status == 200)
    #expect(Data(export.body).range(of: Data("walker".utf8)) != nil, "the archive names its files")
    #expect(Data(export.body).range(of: Data(Self.name.utf8)) == nil)
    let command = try Executable.run(["export", "--device", Self.name, "--format", "gpx", "--data", server.data])
    #expect(command.status != 0 && command.output.isEmpty, "\(command.text)")

    let archive = server.folder.path("backup.tar.zst")
    #expect(try Executable.run(["backup", archive, "--data", server.data]).status == 0)
    let tar = try TarReader(archive)
    var files = 0
    while let file = try tar.next() {
      files += 1
      guard !file.name.contains("audit_log") else { continue }
      #expect(Data(file.bytes).range(of: Data(Self.name.utf8)) == nil, "\(file.name)")
    }
    #expect(files > 10)
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }
}
