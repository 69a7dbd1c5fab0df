import Foundation
import TestClient
import TestParts
import Testing

@Suite(
  "The shell of all pages in a browser", .serialized,
  .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
struct ShellPageTests {
  private static let pages = [
    "/", "/timeline", "/statistics", "/devices", "/regions", "/import", "/account", "/settings", "/welcome", "/api",
  ]
  /// True when the page has drawn its content.
  private static let isDrawn =
    "document.readyState === 'complete' && !['loading', 'connecting'].includes(document.body.dataset.state) && !document.getElementById('signed-in').hidden"

  /// A server with a point of 2026 and a browser of its administrator.
  private final class Site {
    let server: RunningServer
    let browser: Chromium
    var page: String { "http://127.0.0.1:\(server.port)" }

    init() async throws {
      server = try await RunningServer()
      try await ShellPageTests.send(14.5, at: "2026-03-01T10:00:00Z", to: server)
      browser = try await Chromium()
      try await server.login(browser)
    }
  }

  private static func send(_ longitude: Double, at time: String, to server: RunningServer) async throws {
    let point =
      #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(longitude),46]},"properties":{"timestamp":"\#(time)"}}]}"#
    #expect(try await ask("POST", server.endpoint, point, token: server.token).status == 200)
  }

  @Test(
    "each page has the bar with its own link marked, fits a phone's screen and has touch targets of the minimum size",
    .timeLimit(.minutes(20)))
  func bar() async throws {
    let site = try await Site()
    let (server, browser, page) = (site.server, site.browser, site.page)
    defer { withExtendedLifetime(server) {} }
    try await browser.touch()
    for path in Self.pages {
      try await browser.resize(width: 1440, height: 900)
      try await browser.visit(page + path)
      try await browser.wait("location.pathname === '\(path)' && \(Self.isDrawn)")
      let marked: [String] = try await browser.value(
        "[...document.querySelectorAll('#shell [aria-current]')].map((link) => link.getAttribute('href'))")
      #expect(Set(marked) == [path])
      // The first link skips the bar.
      try await browser.press("Tab")
      #expect(try await browser.value("document.activeElement.getAttribute('href') === '#content'", as: Bool.self), "\(path)")
      #expect(try await browser.value("document.querySelector('main#content') !== null", as: Bool.self), "\(path)")
      try await browser.resize(width: 390, height: 844)
      #expect(try await browser.value("document.documentElement.scrollWidth <= innerWidth", as: Bool.self), "\(path)")
      let bottom: Double = try await browser.value("document.getElementById('shell').getBoundingClientRect().bottom")
      #expect(bottom == 844, "\(path)")
      let small: [String] = try await browser.value(
        """
        [...document.querySelectorAll('button, select, summary, #shell a, input:not([type=checkbox], [type=radio], [type=file])')]
          .filter((each) => each.checkVisibility({ visibilityProperty: true }) && each.getBoundingClientRect().height < 39.5 && !each.closest('.hidden'))
          .map((each) => each.outerHTML.slice(0, 80))
        """)
      #expect(small.isEmpty, "\(path): \(small)")
    }
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("texts have the contrast of WCAG AA in both themes", .timeLimit(.minutes(20)), arguments: ["light", "dark"])
  func contrast(_ theme: String) async throws {
    let site = try await Site()
    let (server, browser, page) = (site.server, site.browser, site.page)
    defer { withExtendedLifetime(server) {} }
    try await browser.call("Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": theme]]])
    try await browser.visit("\(page)/settings")
    try await browser.wait(Self.isDrawn)
    let ratios: [Double] = try await browser.value(
      """
      (() => {
        const read = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).match(/[\\d.]+/g).slice(0, 3).map(Number);
        const light = (parts) => parts.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
          .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
        return ["--quiet", "--ink", "--track", "--accent", "--good", "--walk", "--run", "--cycle", "--car", "--train", "--plane", "--boat", "--unknown"].flatMap((text) => ["--paper", "--solid"].map((ground) => {
          const [a, b] = [light(read(text)), light(read(ground))].sort((one, other) => other - one);
          return (a + 0.05) / (b + 0.05);
        }));
      })()
      """)
    #expect(ratios.count == 26 && ratios.allSatisfy { $0 >= 4.5 }, "\(ratios)")
  }

  @Test(
    "each page reports a server that is down, shows no old content under a new date, and continues when it is back",
    .timeLimit(.minutes(20)))
  func gone() async throws {
    let site = try await Site()
    let (server, browser, page) = (site.server, site.browser, site.page)
    defer { withExtendedLifetime(server) {} }
    try await browser.visit("\(page)/statistics?device=walker&year=2026")
    try await browser.wait(
      "document.body.dataset.state === 'ready' && document.querySelectorAll('#calendar rect').length === 365")
    try await server.kill()
    try await browser.click("#earlier")
    try await browser.wait("!document.getElementById('connection').hidden")
    try await browser.wait("document.getElementById('year').textContent === '2025' && !document.querySelector('#calendar svg')")
    try await server.restart()
    try await browser.wait(
      "document.getElementById('connection').hidden && document.querySelectorAll('#calendar rect').length === 365")
    // The map shows no old content either.
    try await browser.visit("\(page)/?device=walker")
    try await browser.wait("document.body.dataset.state === 'live' && document.body.dataset.points === '1'")
    try await server.kill()
    try await browser.run(
      "(() => { const day = document.getElementById('day'); day.value = '2026-02-01'; day.dispatchEvent(new Event('change')); })()"
    )
    try await browser.wait("!document.getElementById('connection').hidden && document.body.dataset.points === '0'")
    try await server.restart()
    try await browser.wait("document.getElementById('connection').hidden && document.body.dataset.state === 'live'")
    for path in ["/devices", "/import", "/"] {
      try await browser.visit(page + path)
      try await browser.wait("location.pathname === '\(path)' && \(Self.isDrawn)")
      try await server.kill()
      if path == "/devices" { try await browser.run("location.hash = 'walker'") }
      try await browser.wait("!document.getElementById('connection').hidden")
      try await server.restart()
      try await browser.wait("document.getElementById('connection').hidden")
    }
    try await browser.visit("\(page)/devices#walker")
    try await browser.wait("document.body.dataset.state === 'device'")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test(
    "an ended session leads to the sign-in page and back, also from a page that only uses the event stream",
    .timeLimit(.minutes(20)))
  func ended() async throws {
    let site = try await Site()
    let (server, browser, page) = (site.server, site.browser, site.page)
    defer { withExtendedLifetime(server) {} }
    let anna = #"{"name":"anna","password":"correct horse"}"#
    #expect(try await ask("POST", "\(page)/api/v1/users", anna, token: server.administratorToken).status == 201)
    for path in ["/?device=walker", "/statistics?device=walker&year=2026", "/devices#walker"] {
      try await browser.visit(page + path)
      try await browser.wait("location.pathname !== '/sign-in' && \(Self.isDrawn) || location.pathname === '/sign-in'")
      try await browser.run("fetch('/api/v1/session', { method: 'DELETE' })")
      if path.hasPrefix("/statistics") { try await browser.click("#earlier") }
      try await browser.wait("location.pathname === '/sign-in' && !document.querySelector('button').disabled")
      try await browser.run("document.querySelector('[name=name]').focus()")
      try await browser.type("anna")
      try await browser.press("Tab")
      try await browser.type("correct horse")
      try await browser.press("Enter")
      try await browser.wait("location.pathname + location.hash === '\(path.replacing(/\?[^#]*/, with: ""))' && \(Self.isDrawn)")
    }
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("a hidden page has no event stream, and has all points after it is shown again", .timeLimit(.minutes(20)))
  func hidden() async throws {
    let site = try await Site()
    let (server, browser, page) = (site.server, site.browser, site.page)
    defer { withExtendedLifetime(server) {} }
    // The streams of the page.
    try await browser.call(
      "Page.addScriptToEvaluateOnNewDocument",
      [
        "source":
          "window.streams = []; window.EventSource = class extends EventSource { constructor(path) { super(path); streams.push(this); } };"
      ])
    let open = "window.streams.filter(({ readyState }) => readyState !== EventSource.CLOSED).length"
    func become(_ isHidden: Bool) async throws {
      try await browser.run(
        "Object.defineProperty(document, 'hidden', { value: \(isHidden), configurable: true }); document.dispatchEvent(new Event('visibilitychange'))"
      )
    }
    try await browser.visit("\(page)/?device=walker")
    try await browser.wait("document.body.dataset.state === 'live' && document.body.dataset.points === '1'")
    // Waits until the opened stream has loaded the track a second time: a late response would have the next point.
    try await browser.wait(
      "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/v1/tracks?')).length === 2")
    try await become(true)
    try await browser.wait("document.body.dataset.state === 'still'")
    #expect(try await browser.value(open, as: Int.self) == 0)
    try await Self.send(14.6, at: "2026-03-01T10:01:00Z", to: server)
    #expect(try await browser.value("document.body.dataset.points", as: String.self) == "1")
    try await become(false)
    try await browser.wait("document.body.dataset.state === 'live' && document.body.dataset.points === '2'")
    #expect(try await browser.value(open, as: Int.self) == 1)
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("units, time zone, first day and theme of the user apply to every page", .timeLimit(.minutes(20)))
  func preferences() async throws {
    let site = try await Site()
    let (server, browser, page) = (site.server, site.browser, site.page)
    defer { withExtendedLifetime(server) {} }
    try await browser.visit("\(page)/settings")
    try await browser.wait(Self.isDrawn)
    for (name, value) in [("units", "imperial"), ("time_zone", "Asia/Tokyo"), ("first_day", "sunday"), ("theme", "dark")] {
      try await browser.run(
        "(() => { window.isOld = true; const field = document.querySelector('[name=\(name)]'); field.value = '\(value)'; field.dispatchEvent(new Event('change', { bubbles: true })); })()"
      )
      try await browser.wait("!window.isOld && \(Self.isDrawn) && document.querySelector('[name=\(name)]').value === '\(value)'")
    }
    #expect(try await browser.value("document.getElementById('example').textContent.includes('29.2\\u00a0mi')", as: Bool.self))
    let formats: [String] = try await browser.value(
      "import('/format.js').then((m) => [m.distance(160934.4), m.meters(30.48), m.speed(4.4704), m.speedUnit, String(m.firstDay), m.clock('2026-03-01T10:00:00Z').replace(/\\s?[AaPp]\\.?[Mm]\\.?/, '')])"
    )
    #expect(formats == ["100\u{a0}mi", "100\u{a0}ft", "10", "mph", "7", "7:00"], "\(formats)")
    #expect(try await browser.value("getComputedStyle(document.body).backgroundColor", as: String.self) == "rgb(22, 29, 32)")
    // On another page, and in another browser after a restart.
    try await server.kill()
    try await server.restart()
    let other = try await Chromium()
    try await server.login(other)
    try await other.visit("\(page)/statistics")
    try await other.wait(Self.isDrawn)
    #expect(try await other.value("document.documentElement.dataset.theme", as: String.self) == "dark")
    // A share link is the same for all readers.
    let shared = try await ask("GET", "\(page)/s/nothing", headers: ["Accept": "text/html"])
    #expect(!shared.text.contains("data-theme"))
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("a name with a right-to-left override affects only itself", .timeLimit(.minutes(20)))
  func direction() async throws {
    let site = try await Site()
    let (server, browser, page) = (site.server, site.browser, site.page)
    defer { withExtendedLifetime(server) {} }
    let name = "live\\u202e evil"
    let made = try await ask(
      "POST", "\(page)/api/v1/links", #"{"name":"\#(name)","devices":["walker"]}"#, token: server.administratorToken)
    #expect(made.status == 201, "\(made.text)")
    let path = try #require(made.object["path"] as? String)
    try await browser.visit("\(page)/account#links")
    try await browser.wait("document.querySelector('#pane-links tbody bdi')?.textContent === '\(name)'")
    try await browser.visit(page + path)
    try await browser.wait("document.querySelector('#name bdi')?.textContent === '\(name)'")
    #expect(try await browser.value("document.title", as: String.self) == "\u{2068}live evil\u{2069} – Godwit")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test(
    "a list of more than 20 devices is in the order of the numbers in their names, and a search in it ignores case and accents",
    .timeLimit(.minutes(20)))
  func search() async throws {
    let site = try await Site()
    let (server, browser, page) = (site.server, site.browser, site.page)
    defer { withExtendedLifetime(server) {} }
    let vans = (1...19).map { "van \($0)" }
    for name in vans + ["Čolnarna"] {
      let made = try await ask("POST", "\(page)/api/v1/devices", #"{"name":"\#(name)"}"#, token: server.administratorToken)
      #expect(made.status == 201, "\(made.text)")
    }
    try await browser.visit("\(page)/devices")
    try await browser.wait("document.querySelectorAll('.search + .table tbody tr').length === 21")
    let names: [String] = try await browser.value(
      "[...document.querySelectorAll('.search + .table a.name')].map((name) => name.textContent)")
    #expect(names == ["Čolnarna"] + vans + ["walker"])
    try await browser.run("document.querySelector('.search input').focus()")
    try await browser.type("COLN")
    try await browser.wait("document.querySelector('.search output').textContent === '1 of 21'")
    let shown: [String] = try await browser.value(
      "[...document.querySelectorAll('.search + .table tbody tr:not([hidden]) a.name')].map((name) => name.textContent)")
    #expect(shown == ["Čolnarna"])
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("the regions page shows its purpose to a member", .timeLimit(.minutes(20)))
  func members() async throws {
    let site = try await Site()
    let (server, browser, page) = (site.server, site.browser, site.page)
    defer { withExtendedLifetime(server) {} }
    for (name, role) in [("root", "admin"), ("bob", "member")] {
      let body = #"{"name":"\#(name)","password":"correct horse","role":"\#(role)"}"#
      #expect(try await ask("POST", "\(page)/api/v1/users", body, token: server.administratorToken).status == 201)
    }
    try await browser.signOut(of: page)
    try await browser.visit("\(page)/sign-in?next=/regions")
    try await browser.wait("location.pathname === '/sign-in' && !document.querySelector('button').disabled")
    try await browser.run("document.querySelector('[name=name]').focus()")
    try await browser.type("bob")
    try await browser.press("Tab")
    try await browser.type("correct horse")
    try await browser.press("Enter")
    try await browser.wait("document.getElementById('members')?.innerText.includes('administrator')")
    #expect(try await browser.value("document.querySelector('#tools') === null", as: Bool.self))
    try await browser.wait("document.getElementById('to-regions').hidden")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("without a device pages show instructions, and have no controls", .timeLimit(.minutes(20)))
  func withoutDevices() async throws {
    let server = try await RunningServer()
    for (name, role) in [("anna", "admin"), ("bob", "member")] {
      let user = #"{"name":"\#(name)","password":"correct horse","role":"\#(role)"}"#
      let address = "http://127.0.0.1:\(server.port)/api/v1/users"
      #expect(try await ask("POST", address, user, token: server.administratorToken).status == 201)
    }
    let browser = try await Chromium()
    let page = "http://127.0.0.1:\(server.port)"
    try await browser.visit("\(page)/sign-in")
    try await browser.wait("document.activeElement?.name === 'name' && !document.querySelector('button').disabled")
    let status: Int = try await browser.value(
      """
      fetch("/api/v1/session", {
        method: "POST", headers: { "Content-Type": "application/json" }, body: '{"name":"bob","password":"correct horse"}',
      }).then(({ status }) => status)
      """)
    #expect(status == 200)
    for path in ["/timeline", "/statistics", "/review", "/account#links"] {
      try await browser.visit("about:blank")
      try await browser.visit(page + path)
      try await browser.wait(
        "document.querySelector('main a[href=\"/welcome\"]') && ['ready', 'links'].includes(document.body.dataset.state)")
      let choices: [String] = try await browser.value(
        """
        [...document.querySelectorAll("select, input, main button:not([role=tab])")]
          .filter((field) => field.checkVisibility()).map((field) => field.id || field.name || field.textContent)
        """)
      #expect(choices.isEmpty || choices == ["This was me"], "\(path): \(choices)")
    }
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }
}
