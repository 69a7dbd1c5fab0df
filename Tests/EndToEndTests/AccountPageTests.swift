import Foundation
import Testing

@Suite(
  "The pages of accounts in a browser", .serialized,
  .enabled(if: Chromium.program != nil, "chromium is not installed (Debian: chromium)"))
struct AccountPageTests {
  private static func pane(_ name: String) -> String { "document.body.dataset.state === '\(name)'" }
  private static let door =
    "location.pathname === '/sign-in' && document.activeElement?.name === 'name' && !document.querySelector('button').disabled"

  private func fill(_ browser: Chromium, _ selector: String, _ text: String) async throws {
    try await browser.click(selector)
    try await browser.type(text)
  }

  @Test("the first user is made in the browser, signs in by keyboard, and is gone after signing out", .timeLimit(.minutes(3)))
  func signingIn() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    let page = "http://127.0.0.1:\(server.port)"
    try await browser.visit("\(page)/account#users")
    try await browser.wait(Self.pane("users"))
    try await fill(browser, "#pane-users [name=name]", "anna")
    try await fill(browser, "#pane-users [name=password]", "correct horse")
    try await browser.press("Enter")
    try await browser.wait(Self.door)

    // Every page leads to the door, and back.
    try await browser.visit("\(page)/?live=off")
    try await browser.wait(Self.door)
    try await browser.type("anna")
    try await browser.press("Tab")
    try await browser.type("wrong horse")
    try await browser.press("Enter")
    try await browser.wait("document.getElementById('problem').textContent.includes('do not belong together')")
    #expect(try await browser.value("document.activeElement.name", as: String.self) == "password")
    try await browser.type("correct horse")
    try await browser.press("Enter")
    try await browser.wait("location.pathname === '/' && location.search === '?live=off'")
    try await browser.wait("document.body.dataset.state === 'still'")

    try await browser.visit("\(page)/account")
    try await browser.wait(Self.pane("devices"))
    #expect(try await browser.value("document.getElementById('who').textContent", as: String.self) == "anna, admin")
    #expect(try await browser.value("document.cookie", as: String.self) == "", "no script reads the session")
    try await browser.click("#sign-out")
    try await browser.wait("location.pathname === '/sign-in'")
    try await browser.visit("\(page)/account")
    try await browser.wait("location.pathname === '/sign-in'")
    #expect(browser.complaints.isEmpty, "\(browser.complaints)")
  }

  @Test("an address that leads elsewhere after signing in is not gone to", .timeLimit(.minutes(2)))
  func elsewhere() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    let page = "http://127.0.0.1:\(server.port)"
    try await browser.visit("\(page)/account")
    try await browser.wait(Self.pane("devices"))
    try await browser.run(
      "fetch('/api/users', { method: 'POST', body: JSON.stringify({ name: 'anna', password: 'correct horse' }) })")
    try await browser.visit("\(page)/sign-in?next=//evil.example/")
    try await browser.wait(Self.door)
    try await browser.type("anna")
    try await browser.press("Tab")
    try await browser.type("correct horse")
    try await browser.press("Enter")
    try await browser.wait("location.href === '\(page)/'")
  }

  @Test("a password stays out of the address where the page's script has not come", .timeLimit(.minutes(2)))
  func withoutScript() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await browser.call("Network.enable")
    try await browser.call("Network.setBlockedURLs", ["urls": ["*/sign-in.js"]])
    try await browser.visit("http://127.0.0.1:\(server.port)/sign-in")
    try await browser.wait("document.readyState === 'complete' && document.activeElement?.name === 'name'")
    for (key, text) in [("Tab", "anna"), ("Enter", "correct horse")] {
      try await browser.type(text)
      try await browser.press(key)
    }
    // A form that is sent takes the page away.
    try await browser.run("new Promise((done) => setTimeout(done, 500))")
    #expect(try await browser.value("location.pathname + location.search", as: String.self) == "/sign-in")
    #expect(try await browser.value("document.forms[0].elements.password.value", as: String.self) == "correct horse")
  }

  @Test("tabs go by arrow keys; a token is shown once and revoked after a second look", .timeLimit(.minutes(2)))
  func tokens() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await browser.visit("http://127.0.0.1:\(server.port)/account")
    try await browser.wait(Self.pane("devices"))
    try await browser.run("document.getElementById('tab-devices').focus()")
    try await browser.press("ArrowRight")
    try await browser.wait(Self.pane("tokens"))
    #expect(try await browser.value("document.activeElement.id", as: String.self) == "tab-tokens")
    try await fill(browser, "#pane-tokens [name=name]", "<b>grafana</b>")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('.secret code')?.textContent.startsWith('gw_')")
    #expect(try await browser.value("document.activeElement.className", as: String.self) == "secret")
    let token: String = try await browser.value("document.querySelector('.secret code').textContent")
    let works = "fetch('/api/devices', { headers: { Authorization: 'Bearer \(token)' } }).then((answer) => answer.ok)"
    #expect(try await browser.value(works, as: Bool.self))
    #expect(try await browser.value("document.querySelector('td').textContent", as: String.self) == "<b>grafana</b>")
    try await browser.click("td button.danger")
    #expect(try await browser.value("document.querySelector('td button.danger').textContent", as: String.self) == "Sure?")
    try await browser.click("td button.danger")
    try await browser.wait("document.querySelector('tr.over td:last-child')?.textContent === 'revoked'")
    #expect(browser.complaints.isEmpty, "\(browser.complaints)")
  }

  @Test("a link shows what it should to somebody who is nobody, live, and nothing after it was ended", .timeLimit(.minutes(3)))
  func sharing() async throws {
    let server = try await RunningServer(device: "phone")
    let page = "http://127.0.0.1:\(server.port)"
    let browser = try await Chromium()
    try await browser.visit("\(page)/account#links")
    try await browser.wait(Self.pane("links"))
    try await fill(browser, "#pane-links [name=name]", "On the way")
    try await browser.run("document.querySelector('#pane-links [name=devices]').options[0].selected = true")
    try await fill(browser, "#pane-links [name=password]", "sesame")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('.secret code')")
    let address: String = try await browser.value("document.querySelector('.secret code').textContent")

    let stranger = try await Chromium()
    try await stranger.visit(address)
    try await stranger.wait("document.activeElement?.name === 'password'")
    try await stranger.type("wrong")
    try await stranger.press("Enter")
    try await stranger.wait("!document.getElementById('problem').hidden")
    try await stranger.type("sesame")
    try await stranger.press("Enter")
    try await stranger.wait("document.body.dataset.state === 'live'")
    #expect(try await stranger.value("document.getElementById('name').textContent", as: String.self) == "On the way")
    #expect(try await stranger.value("document.body.dataset.points", as: String.self) == "0")
    try await browser.run(
      """
      fetch('/api/overland', { method: 'POST', headers: { Authorization: 'Bearer \(server.token)' }, body: JSON.stringify({ locations: [
        { type: 'Feature', geometry: { type: 'Point', coordinates: [14.5, 46] }, properties: { timestamp: new Date().toISOString() } },
      ] }) })
      """)
    try await stranger.wait("document.body.dataset.points === '1'")

    try await browser.visit("\(page)/account#links")
    try await browser.wait("document.querySelector('td button.danger')")
    try await browser.click("td button.danger")
    try await browser.click("td button.danger")
    try await stranger.wait("document.body.dataset.state === 'over'")
    #expect(try await stranger.value("document.querySelectorAll('.here').length", as: Int.self) == 0)
    #expect(browser.complaints.isEmpty && stranger.complaints.isEmpty, "\(browser.complaints) \(stranger.complaints)")
  }

  @Test("a private zone is drawn on the map by a click and holds; retention says first what would go", .timeLimit(.minutes(2)))
  func zones() async throws {
    let server = try await RunningServer(device: "phone")
    let browser = try await Chromium()
    try await browser.resize(width: 1000, height: 900)
    try await browser.visit("http://127.0.0.1:\(server.port)/account#zones")
    try await browser.wait(Self.pane("zones"))
    try await browser.click("#zone-map")
    try await browser.wait("document.querySelector('#pane-zones [name=latitude]').value !== ''")
    try await fill(browser, "#pane-zones [name=name]", "Home")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('#pane-zones td')?.textContent === 'Home'")
    try await browser.click("#tab-devices")
    try await browser.wait(Self.pane("devices"))
    try await fill(browser, "#pane-devices [name=keep_days]", "10")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('#pane-devices [role=status]').textContent.includes('0 points would go')")
    let rule = "fetch('/api/devices/phone/retention').then((answer) => answer.json()).then((rule) => rule.keep_days)"
    #expect(try await browser.value("(\(rule)).then((days) => days === null)", as: Bool.self))
    try await browser.click("#pane-devices [name=dry]")
    try await browser.click("#pane-devices [name=thin_minutes]")
    try await browser.press("Enter")
    try await browser.wait("(\(rule)).then((days) => days === 10)")
    #expect(browser.complaints.isEmpty, "\(browser.complaints)")
  }
}
