import Foundation
import TestClient
import TestParts
import Testing

@Suite(
  "The first steps in a browser", .serialized,
  .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
struct WelcomePageTests {
  private static let ready = "location.pathname === '/welcome' && document.body.dataset.state === 'ready'"

  /// Presses Tab until an expression is true.
  private func tab(_ browser: Chromium, to expression: String) async throws {
    for _ in 0..<60 {
      if try await browser.value("Boolean(\(expression))", as: Bool.self) { return }
      try await browser.press("Tab")
    }
    throw Chromium.Failure("Tab does not lead to \(expression).")
  }

  @Test(
    "the keyboard is enough from a server without points to the first point of a phone and to the map",
    .timeLimit(.minutes(20)), arguments: [1440, 390])
  func phone(_ width: Int) async throws {
    let server = try await RunningServer(more: ["--network-address", "127.0.0.2"])
    let browser = try await Chromium()
    try await browser.resize(width: width, height: 844)
    try await server.login(browser)
    try await browser.wait(Self.ready)
    // Before the server listens on the network, no QR code and no field for the name is shown.
    #expect(try await browser.value("document.querySelector('.qr') === null", as: Bool.self))
    #expect(try await browser.value("document.getElementById('name').hidden", as: Bool.self))
    #expect(try await browser.value("document.documentElement.scrollWidth <= innerWidth", as: Bool.self))

    try await tab(browser, to: "document.activeElement.textContent === 'Open to my network'")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('dialog')?.innerText.includes('http://127.0.0.2:\(server.port)')")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('#network.open') && !document.getElementById('name').hidden")
    try await tab(browser, to: "document.activeElement.name === 'name'")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('#code .qr path')?.getAttribute('d').length > 1000")
    #expect(try await browser.value("document.querySelector('.first-point').dataset.state", as: String.self) == "waiting")
    // An iPhone has another app, and the same token.
    try await browser.run("document.querySelector('input[value=iphone]').click()")
    try await browser.wait("document.querySelector('#code a')?.href.startsWith('overland://')")
    let link: String = try await browser.value("document.querySelector('#code a').href")
    let values = try #require(URLComponents(string: link)?.queryItems)
    let address = try #require(values.first { $0.name == "url" }?.value)
    let token = try #require(values.first { $0.name == "token" }?.value)
    #expect(address == "http://127.0.0.2:\(server.port)/api/overland")

    // The upload of the phone.
    let now = Date().formatted(.iso8601)
    let body =
      #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[14.5,46]},"properties":{"timestamp":"\#(now)"}}]}"#
    #expect(try await ask("POST", address, body, token: token).status == 200)
    try await browser.wait("document.querySelector('.first-point').dataset.state === 'arrived'")
    try await browser.wait("!document.getElementById('next').hidden && !document.getElementById('next-account').hidden")
    try await browser.run("document.querySelector('.first-point a').focus()")
    try await browser.press("Enter")
    try await browser.wait("location.pathname === '/' && document.body.dataset.points === '1'")
    // The map is now the first page, and the first steps are in the menu.
    try await server.login(browser)
    try await browser.wait("location.pathname === '/' && document.body.dataset.points === '1'")
    #expect(try await browser.value("document.querySelector('#menu [href=\"/welcome\"]') !== null", as: Bool.self))
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("the same page closes the server to the network, and then shows no code", .timeLimit(.minutes(20)))
  func closing() async throws {
    let server = try await RunningServer(more: ["--network-address", "127.0.0.2"])
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.wait(Self.ready)
    try await browser.click("#network button")
    try await browser.wait("document.querySelector('dialog .main')")
    // Escape changes nothing.
    try await browser.press("Escape")
    try await browser.wait("!document.querySelector('dialog') && document.querySelector('#network.closed')")
    try await browser.click("#network button")
    try await browser.wait("document.querySelector('dialog .main')")
    try await browser.click("dialog .main")
    try await browser.wait("document.querySelector('#network.open') && !document.getElementById('name').hidden")
    try await browser.click("#network button")
    try await browser.wait("document.querySelector('#network.closed') && document.getElementById('name').hidden")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("the demo is added with a button, is on the map, and is removed with a button", .timeLimit(.minutes(20)))
  func demo() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.wait(Self.ready)
    try await browser.click("#way-demo")
    try await browser.click("#add-demo")
    try await browser.wait("!document.getElementById('remove-demo').hidden && document.querySelector('#demo-state a')")
    try await browser.click("#demo-state a")
    try await browser.wait("location.pathname === '/' && Number(document.body.dataset.points) > 100")
    try await browser.visit("http://127.0.0.1:\(server.port)/welcome#demo")
    try await browser.wait("\(Self.ready) && !document.getElementById('remove-demo').hidden")
    try await browser.click("#remove-demo")
    try await browser.wait("document.activeElement?.matches('dialog .main')")
    try await browser.press("Enter")
    try await browser.wait("!document.getElementById('add-demo').hidden && document.getElementById('remove-demo').hidden")
    #expect(
      try await browser.value(
        "fetch('/api/v1/devices').then((answer) => answer.json()).then(({ devices }) => devices.map(({ name }) => name).join())",
        as: String.self) == "walker")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("the commands for the machine of the server work as they are shown", .timeLimit(.minutes(20)))
  func computer() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.wait(Self.ready)
    try await browser.click("#way-computer")
    try await browser.click("#machine button")
    try await browser.wait("document.querySelectorAll('#commands pre').length === 2")
    let command: String = try await browser.value("document.querySelector('#commands pre').textContent")
    let link = try #require(command.firstMatch(of: #/^godwit setup '(godwit:[^']+)'$/#)?.1)
    let folder = try TemporaryFolder()
    let done = try Executable.run(["setup", String(link), "--tracker-file", folder.path("tracker.json"), "--yes"])
    #expect(done.status == 0, "\(done.errorOutput)\(done.text)")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }
}
