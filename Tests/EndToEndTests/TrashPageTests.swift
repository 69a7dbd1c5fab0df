import Foundation
import TestClient
import TestParts
import Testing

@Suite(
  "The trash page in a browser", .serialized,
  .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
struct TrashPageTests {
  private static let list = "document.body.dataset.state === 'list'"
  private static let device = "document.body.dataset.state === 'device'"

  private static func names(_ names: [String]) -> String {
    "\(list) && [...document.querySelectorAll('a.name')].map((link) => link.textContent).sort().join() === '\(names.joined(separator: ","))'"
  }

  /// A script that clicks the button with a label.
  private static func click(_ label: String) -> String {
    "[...document.querySelectorAll('button')].find((button) => (button.ariaLabel || button.textContent) === '\(label)').click()"
  }

  @Test(
    "a device is renamed, gets a color, is deleted with an undo offered, and is restored from the trash", .timeLimit(.minutes(20))
  )
  func device() async throws {
    let server = try await RunningServer(device: "phone")
    let browser = try await Chromium()
    try await server.login(browser)
    let body = #"{"locations":[{"geometry":{"coordinates":[14.5,46]},"properties":{"timestamp":"2026-11-20T08:00:00Z"}}]}"#
    _ = try await ask("POST", server.endpoint, body, token: server.token)
    try await browser.visit("http://127.0.0.1:\(server.port)/devices#phone")
    try await browser.wait(Self.device)
    try await browser.run(
      "document.querySelector('.manage [name=name]').focus(); document.querySelector('.manage [name=name]').select()")
    try await browser.type("Pixel 9")
    try await browser.press("Enter")
    try await browser.wait("\(Self.device) && document.querySelector('h1')?.textContent === 'Pixel 9'")
    try await browser.run(
      "document.querySelector('[name=color][value=\"#7a4fc0\"]').click(); document.querySelector('[name=icon][value=bicycle]').click()"
    )
    try await browser.run(Self.click("Save look"))
    try await browser.wait("document.getElementById('toast').textContent === 'Saved.'")
    try await browser.click(".bar a")
    try await browser.wait(Self.names(["Pixel 9"]))
    #expect(
      try await browser.value(
        "getComputedStyle(document.querySelector('.device-mark')).backgroundColor === 'rgb(122, 79, 192)'", as: Bool.self))
    // The button of the notice undoes the deletion.
    try await browser.run("document.querySelector('a.name').click()")
    try await browser.wait("\(Self.device) && !!document.querySelector('.row.end button')")
    try await browser.run(Self.click("Delete Pixel 9"))
    try await browser.wait("document.querySelector('dialog')?.innerText.includes('1\\u00a0point')")
    // Enter does not confirm the dialog.
    try await browser.press("Enter")
    try await browser.wait("!document.querySelector('dialog')")
    try await browser.run(Self.click("Delete Pixel 9"))
    try await browser.wait("!!document.querySelector('dialog')")
    try await browser.run("document.querySelector('dialog .main').click()")
    try await browser.wait("\(Self.names([])) && !!document.querySelector('.undo-notice')")
    try await browser.click(".undo-notice button")
    try await browser.wait(Self.names(["Pixel 9"]))
    // The trash page also undoes a deletion.
    let status = try await ask(
      "DELETE", "http://127.0.0.1:\(server.port)/api/v1/devices/Pixel%209", token: try server.administratorToken
    ).status
    #expect(status == 200)
    try await browser.visit("http://127.0.0.1:\(server.port)/trash")
    try await browser.wait("\(Self.list) && document.querySelectorAll('.entries li').length === 1")
    let entry: String = try await browser.value("document.querySelector('.entries li').innerText")
    #expect(entry.contains("Device Pixel 9") && entry.contains("1\u{00A0}point") && entry.contains("in 7 days"), "\(entry)")
    try await browser.run(Self.click("Undo: Device Pixel 9"))
    try await browser.wait("!!document.querySelector('.empty')")
    // The trash page deletes permanently.
    _ = try await ask(
      "DELETE", "http://127.0.0.1:\(server.port)/api/v1/devices/Pixel%209", token: try server.administratorToken)
    try await browser.visit("http://127.0.0.1:\(server.port)/trash")
    try await browser.wait("\(Self.list) && document.querySelectorAll('.entries li').length === 1")
    try await browser.run(Self.click("Delete for good: Device Pixel 9"))
    try await browser.wait("!!document.querySelector('dialog')")
    try await browser.run("document.querySelector('dialog .main').click()")
    try await browser.wait("!!document.querySelector('.empty')")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("two devices are merged on the devices page, and divided again on the trash page", .timeLimit(.minutes(20)))
  func merge() async throws {
    let server = try await RunningServer(device: "old")
    let browser = try await Chromium()
    try await server.login(browser)
    _ = try Executable.run(["device", "add", "new", "--data", server.data])
    try await browser.visit("http://127.0.0.1:\(server.port)/devices#old")
    try await browser.wait("\(Self.device) && !!document.querySelector('[name=into]')")
    try await browser.run(Self.click("Merge"))
    try await browser.wait("document.querySelector('dialog')?.innerText.includes('Merge old into new')")
    try await browser.run("document.querySelector('dialog .main').click()")
    try await browser.wait("\(Self.device) && document.querySelector('h1').textContent === 'new'")
    try await browser.visit("http://127.0.0.1:\(server.port)/trash")
    try await browser.wait("document.querySelector('.entries h3')?.textContent === 'old merged into new'")
    try await browser.run(Self.click("Divide again: old merged into new"))
    try await browser.wait("!!document.querySelector('.empty')")
    try await browser.visit("http://127.0.0.1:\(server.port)/devices")
    try await browser.wait(Self.names(["new", "old"]))
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }
}
