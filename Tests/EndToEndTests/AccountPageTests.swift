import Foundation
import TestClient
import TestParts
import Testing

@testable import GodwitAccounts

@Suite(
  "The account pages in a browser", .serialized,
  .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
struct AccountPageTests {
  private static func pane(_ name: String) -> String { "document.body.dataset.state === '\(name)'" }
  private static let door =
    "location.pathname === '/sign-in' && document.activeElement?.name === 'name' && !document.querySelector('button').disabled"

  private func fill(_ browser: Chromium, _ selector: String, _ text: String) async throws {
    try await browser.click(selector)
    try await browser.type(text)
  }

  @Test(
    "the first user is created in the browser, signs in with the keyboard, and has no session after signing out",
    .timeLimit(.minutes(20)))
  func signingIn() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await server.login(browser)
    let page = "http://127.0.0.1:\(server.port)"
    try await browser.visit("\(page)/account#users")
    try await browser.wait(Self.pane("users"))
    try await fill(browser, "#pane-users [name=name]", "anna")
    try await fill(browser, "#pane-users [name=password]", "correct horse")
    try await browser.press("Enter")
    try await browser.wait(Self.door)

    // Every page redirects to the sign-in page, which redirects back.
    try await browser.visit("\(page)/?live=off")
    try await browser.wait(Self.door)
    try await browser.type("anna")
    try await browser.press("Tab")
    try await browser.type("wrong horse")
    try await browser.press("Enter")
    try await browser.wait("document.getElementById('problem').textContent.includes('Wrong name or password')")
    #expect(try await browser.value("document.activeElement.name", as: String.self) == "password")
    try await browser.type("correct horse")
    try await browser.press("Enter")
    try await browser.wait("location.pathname === '/' && location.search === '?live=off'")
    try await browser.wait("document.body.dataset.state === 'still'")

    try await browser.visit("\(page)/account")
    try await browser.wait(Self.pane("devices"))
    try await browser.wait("document.getElementById('menu-name').textContent === 'anna'")
    #expect(try await browser.value("document.cookie", as: String.self) == "", "a script can read the session cookie")
    try await browser.click("#menu summary")
    try await browser.click("#shell-sign-out")
    try await browser.wait("location.pathname === '/sign-in'")
    try await browser.visit("\(page)/account")
    try await browser.wait("location.pathname === '/sign-in'")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("a User-Agent header is shown as a program and its system")
  func programs() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await browser.visit("http://127.0.0.1:\(server.port)/sign-in")
    let mozilla = "Mozilla/5.0"
    for (agent, name) in [
      (
        "\(mozilla) (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
        "Chrome 142 on Linux"
      ),
      ("\(mozilla) (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "Firefox 140 on Android"),
      (
        "\(mozilla) (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
        "Safari 18 on iOS"
      ),
      (
        "\(mozilla) (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
        "Edge 141 on Windows"
      ),
      ("curl/8.5.0", "curl 8.5"), ("Overland/1.4 (iPhone)", "Overland 1.4"), ("", "–"),
    ] {
      let shown = try await browser.value("import('/format.js').then(m => m.program(\(agent.debugDescription)))", as: String.self)
      #expect(shown == name, "\(agent)")
    }
  }

  /// A JavaScript expression for the code (TOTP) that belongs to the key on the page.
  /// - Parameter ahead: the number of steps of 30 seconds from now.
  private static func code(ahead: Int) -> String {
    """
    (async () => {
      const bits = [...window.factorKey].map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0")).join("");
      const secret = Uint8Array.from(bits.match(/.{8}/g), (byte) => parseInt(byte, 2));
      const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-1" }, false, ["sign"]);
      const message = new DataView(new ArrayBuffer(8));
      message.setUint32(4, Math.floor(Date.now() / 30000) + \(ahead));
      const digest = new DataView(await crypto.subtle.sign("HMAC", key, message.buffer));
      return String((digest.getUint32(digest.getUint8(19) & 15) & 0x7fffffff) % 1000000).padStart(6, "0");
    })()
    """
  }

  @Test("a second factor is set up with a QR code, required at the next sign-in, and turned off", .timeLimit(.minutes(20)))
  func secondFactor() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    let page = "http://127.0.0.1:\(server.port)"
    let anna = #"{"name":"anna","password":"correct horse"}"#
    #expect(try await ask("POST", "\(page)/api/v1/users", anna, token: server.administratorToken).status == 201)
    func signIn() async throws {
      try await browser.visit("\(page)/sign-in?next=/account%23you")
      try await browser.wait(Self.door)
      try await browser.type("anna")
      try await browser.press("Tab")
      try await browser.type("correct horse")
      try await browser.press("Enter")
    }
    try await signIn()
    try await browser.wait(Self.pane("you"))
    let parts = "[...document.querySelectorAll('#pane-you form')]"
    try await browser.run("\(parts).at(-1).elements.password.focus()")
    try await browser.type("correct horse")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('#pane-you .qr svg')")
    try await browser.run("window.factorKey = document.getElementById('factor-key').textContent")
    let key: String = try await browser.value("window.factorKey")
    try await browser.type(try await browser.value(Self.code(ahead: 0), as: String.self))
    try await browser.press("Enter")
    try await browser.wait("document.querySelectorAll('.secret code').length === 10")
    let recovery: String = try await browser.value("document.querySelector('.secret code').textContent")
    try await browser.signOut(of: page)

    try await signIn()
    try await browser.wait("document.activeElement?.name === 'code'")
    #expect(try await browser.value("document.getElementById('problem').hidden", as: Bool.self))
    try await browser.type("000000x")
    try await browser.press("Enter")
    try await browser.wait("!document.getElementById('problem').hidden && document.activeElement?.name === 'code'")
    try await browser.run("window.factorKey = '\(key)'")
    try await browser.type(try await browser.value(Self.code(ahead: 1), as: String.self))
    try await browser.press("Enter")
    try await browser.wait(Self.pane("you"))
    try await browser.run("\(parts).at(-1).elements.password.focus()")
    try await browser.type("correct horse")
    try await browser.press("Tab")
    try await browser.type(recovery)
    try await browser.press("Enter")
    try await browser.wait("\(parts).at(-1).querySelector('button').textContent === 'Set up'")
    #expect(browser.pageErrors.filter { !$0.contains("401") }.isEmpty, "\(browser.pageErrors)")
  }

  @Test("a passkey is added, renamed, used to sign in and to confirm, and removed", .timeLimit(.minutes(20)))
  func passkeys() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    // A secure context with a host name.
    let page = "http://localhost:\(server.port)"
    let anna = #"{"name":"anna","password":"correct horse"}"#
    #expect(try await ask("POST", "\(page)/api/v1/users", anna, token: server.administratorToken).status == 201)
    try await browser.call("WebAuthn.enable")
    let made = try await browser.call(
      "WebAuthn.addVirtualAuthenticator",
      [
        "options": [
          "protocol": "ctap2", "transport": "internal", "hasResidentKey": true, "hasUserVerification": true,
          "isUserVerified": true, "automaticPresenceSimulation": true,
        ]
      ])
    let authenticator = try #require(made["authenticatorId"] as? String)
    try await browser.visit("\(page)/sign-in?next=/account%23you")
    try await browser.wait(Self.door)
    try await browser.type("anna")
    try await browser.press("Tab")
    try await browser.type("correct horse")
    try await browser.press("Enter")
    try await browser.wait(Self.pane("you"))
    let rows =
      "[...document.querySelectorAll('#pane-you .part')].find((part) => part.querySelector('h2').textContent === 'Passkeys')"
    try await browser.wait("\(rows).textContent.includes('No passkeys yet.')")
    try await browser.run("\(rows).querySelector('[name=name]').focus()")
    try await browser.press("Enter")
    try await browser.wait("\(rows).querySelector('tbody bdi')?.textContent.startsWith('Chrome')")
    try await browser.run("\(rows).querySelector('tbody button').focus()")
    try await browser.press("Enter")
    try await browser.wait("document.activeElement?.getAttribute('aria-label') === 'Name of the passkey'")
    try await browser.type("<b>Yellow</b>")
    try await browser.press("Enter")
    try await browser.wait("\(rows).querySelector('tbody bdi')?.textContent === '<b>Yellow</b>'")

    try await browser.signOut(of: page)
    try await browser.visit("\(page)/sign-in?next=/account%23tokens")
    try await browser.wait(Self.door)
    try await browser.run("document.getElementById('passkey').focus()")
    try await browser.press("Enter")
    try await browser.wait(Self.pane("tokens"))
    try await browser.wait("document.getElementById('menu-name').textContent === 'anna'")

    // The first request gets the response that the server sends ten minutes after the sign-in.
    try await browser.run(
      """
      window.realFetch = fetch;
      window.asked = 0;
      window.fetch = (path, options) => {
        if (path === "/api/v1/tokens" && options?.method === "POST" && asked++ === 0) {
          const problem = { type: "/api#confirmation-needed", status: 403, title: "Confirmation needed", detail: "Again." };
          return Promise.resolve(new Response(JSON.stringify(problem), { status: 403 }));
        }
        return realFetch(path, options);
      };
      """)
    try await fill(browser, "#pane-tokens [name=name]", "grafana")
    try await browser.press("Enter")
    let button = "[...document.querySelectorAll('dialog[open] button')].find((button) => button.textContent === 'Use a passkey')"
    try await browser.wait("\(button) && !\(button).hidden")
    try await browser.run("\(button).focus()")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('.secret code')?.textContent.startsWith('gw_')")

    // An authenticator without user verification does not sign in.
    try await browser.signOut(of: page)
    try await browser.call(
      "WebAuthn.setUserVerified", ["authenticatorId": authenticator, "isUserVerified": false])
    try await browser.visit("\(page)/sign-in?next=/account%23you")
    try await browser.wait(Self.door)
    try await browser.run("document.getElementById('passkey').focus()")
    try await browser.press("Enter")
    try await browser.wait("document.getElementById('problem').textContent.includes('No passkey was used')")
    try await browser.call("WebAuthn.setUserVerified", ["authenticatorId": authenticator, "isUserVerified": true])
    try await browser.run("document.getElementById('passkey').focus()")
    try await browser.press("Enter")
    try await browser.wait(Self.pane("you"))
    try await browser.wait("\(rows)?.querySelector('tbody button.danger')")
    for _ in 0..<2 {
      try await browser.run("\(rows).querySelector('tbody button.danger').focus()")
      try await browser.press("Enter")
    }
    try await browser.wait("\(rows)?.textContent.includes('No passkeys yet.')")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")

    // Passkeys need a host name: the button is hidden under an IP address.
    try await browser.visit("http://127.0.0.1:\(server.port)/sign-in")
    try await browser.wait(Self.door)
    #expect(try await browser.value("document.getElementById('passkey').hidden", as: Bool.self))
  }

  @Test("if an action needs a confirmation, a dialog asks for the password, and the action is repeated", .timeLimit(.minutes(20)))
  func confirmation() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    let page = "http://127.0.0.1:\(server.port)"
    let anna = #"{"name":"anna","password":"correct horse"}"#
    #expect(try await ask("POST", "\(page)/api/v1/users", anna, token: server.administratorToken).status == 201)
    try await browser.visit("\(page)/sign-in?next=/account%23tokens")
    try await browser.wait(Self.door)
    try await browser.type("anna")
    try await browser.press("Tab")
    try await browser.type("correct horse")
    try await browser.press("Enter")
    try await browser.wait(Self.pane("tokens"))
    // The first request gets the response that the server sends ten minutes after the sign-in.
    try await browser.run(
      """
      window.realFetch = fetch;
      window.asked = [];
      window.fetch = (path, options) => {
        if (options?.method === "POST") asked.push(path);
        if (path === "/api/v1/tokens" && options?.method === "POST" && asked.length === 1) {
          const problem = { type: "/api#confirmation-needed", status: 403, title: "Confirmation needed", detail: "Again." };
          return Promise.resolve(new Response(JSON.stringify(problem), { status: 403 }));
        }
        return realFetch(path, options);
      };
      """)
    try await fill(browser, "#pane-tokens [name=name]", "grafana")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('dialog[open]') && document.activeElement?.name === 'password'")
    try await browser.type("wrong horse")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('dialog .problem:not([hidden])')?.textContent.includes('rong password')")
    try await browser.type("correct horse")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('.secret code')?.textContent.startsWith('gw_')")
    #expect(try await browser.value("document.querySelector('dialog') === null", as: Bool.self))
    #expect(
      try await browser.value("asked.join(' ')", as: String.self)
        == "/api/v1/tokens /api/v1/session/confirmation /api/v1/session/confirmation /api/v1/tokens")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("an address of another site is not opened after signing in", .timeLimit(.minutes(20)))
  func elsewhere() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await server.login(browser)
    let page = "http://127.0.0.1:\(server.port)"
    try await browser.visit("\(page)/account")
    try await browser.wait(Self.pane("devices"))
    try await browser.run(
      "fetch('/api/v1/users', { method: 'POST', body: JSON.stringify({ name: 'anna', password: 'correct horse' }) })")
    try await browser.visit("\(page)/sign-in?next=//evil.example/")
    try await browser.wait(Self.door)
    try await browser.type("anna")
    try await browser.press("Tab")
    try await browser.type("correct horse")
    try await browser.press("Enter")
    try await browser.wait("location.href === '\(page)/'")
  }

  @Test("a password is not in the address before the page's script has loaded", .timeLimit(.minutes(20)))
  func withoutScript() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    // The page has a form for name and password only if the server has users.
    let anna = #"{"name":"anna","password":"correct horse"}"#
    #expect(
      try await ask("POST", "http://127.0.0.1:\(server.port)/api/v1/users", anna, token: server.administratorToken).status == 201)
    try await browser.call("Network.enable")
    try await browser.call("Network.setBlockedURLs", ["urls": ["*/sign-in.js"]])
    try await browser.visit("http://127.0.0.1:\(server.port)/sign-in")
    try await browser.wait("document.readyState === 'complete' && document.activeElement?.name === 'name'")
    for (key, text) in [("Tab", "anna"), ("Enter", "correct horse")] {
      try await browser.type(text)
      try await browser.press(key)
    }
    // If the browser submitted the form, it would leave the page in this time.
    try await browser.run("new Promise((done) => setTimeout(done, 500))")
    #expect(try await browser.value("location.pathname + location.search", as: String.self) == "/sign-in")
    #expect(try await browser.value("document.forms[0].elements.password.value", as: String.self) == "correct horse")
  }

  @Test("arrow keys switch tabs; a token is shown once and revoked after a confirmation", .timeLimit(.minutes(20)))
  func tokens() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await server.login(browser)
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
    let works = "fetch('/api/v1/devices', { headers: { Authorization: 'Bearer \(token)' } }).then((answer) => answer.ok)"
    #expect(try await browser.value(works, as: Bool.self))
    #expect(try await browser.value("document.querySelector('td').textContent", as: String.self) == "<b>grafana</b>")
    try await browser.click("td button.danger")
    #expect(try await browser.value("document.querySelector('td button.danger').textContent", as: String.self) == "Sure?")
    try await browser.click("td button.danger")
    try await browser.wait("document.querySelector('tr.over td:last-child')?.textContent === 'revoked'")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test(
    "a link shows its time window to an anonymous client, with live updates, and nothing after it was deleted",
    .timeLimit(.minutes(20)))
  func sharing() async throws {
    let server = try await RunningServer(device: "phone")
    let page = "http://127.0.0.1:\(server.port)"
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.visit("\(page)/account#links")
    try await browser.wait(Self.pane("links"))
    try await fill(browser, "#pane-links [name=name]", "On the way")
    // The only device is selected.
    #expect(try await browser.value("document.querySelector('#pane-links [name=devices]').checked", as: Bool.self))
    try await fill(browser, "#pane-links [name=password]", "sesame")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('.secret code')")
    let address: String = try await browser.value("document.querySelector('.secret code').textContent")

    let anonymous = try await Chromium()
    try await anonymous.visit(address)
    try await anonymous.wait("document.activeElement?.name === 'password'")
    try await anonymous.type("wrong")
    try await anonymous.press("Enter")
    try await anonymous.wait("!document.getElementById('problem').hidden")
    try await anonymous.type("sesame")
    try await anonymous.press("Enter")
    try await anonymous.wait("document.body.dataset.state === 'live'")
    #expect(try await anonymous.value("document.getElementById('name').textContent", as: String.self) == "On the way")
    #expect(try await anonymous.value("document.body.dataset.points", as: String.self) == "0")
    try await browser.run(
      """
      globalThis.time = new Date().toISOString();
      fetch('/api/overland', { method: 'POST', headers: { Authorization: 'Bearer \(server.token)' }, body: JSON.stringify({ locations: [
        { type: 'Feature', geometry: { type: 'Point', coordinates: [14.5, 46] }, properties: { timestamp: time } },
      ] }) })
      """)
    try await anonymous.wait("document.body.dataset.points === '1'")
    // The open page removes a point that is flagged as an outlier, and shows it again when the flag is removed.
    for (isFlagged, count) in [(true, 0), (false, 1)] {
      try await browser.run(
        """
        fetch('/api/v1/outliers', { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(
          { device: 'phone', time, latitude: 46, longitude: 14.5, marked: \(isFlagged) }) })
        """)
      try await anonymous.wait("document.body.dataset.points === '\(count)'")
    }

    try await browser.visit("\(page)/account#links")
    try await browser.wait("document.querySelector('td button.danger')")
    try await browser.click("td button.danger")
    try await browser.click("td button.danger")
    try await anonymous.wait("document.body.dataset.state === 'over'")
    #expect(try await anonymous.value("document.querySelectorAll('.here').length", as: Int.self) == 0)
    #expect(browser.pageErrors.isEmpty && anonymous.pageErrors.isEmpty, "\(browser.pageErrors) \(anonymous.pageErrors)")
  }

  @Test(
    "times of a new link are in the time zone of the preferences, and its address is copied without a secure context",
    .timeLimit(.minutes(20)))
  func sharingTimes() async throws {
    let server = try await RunningServer(device: "phone")
    let page = "http://127.0.0.1:\(server.port)"
    let browser = try await Chromium()
    try await server.login(browser)
    let put = "method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: '{\"time_zone\":\"Pacific/Kiritimati\"}'"
    #expect(try await browser.value("fetch('/api/v1/preferences', { \(put) }).then(({ ok }) => ok)", as: Bool.self))
    try await browser.visit("\(page)/account#links")
    try await browser.wait(Self.pane("links"))
    try await browser.run("document.querySelector('#pane-links [name=from]').value = '2026-05-04T10:00'")
    try await fill(browser, "#pane-links [name=name]", "On the way")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('.secret code')")
    let from = "fetch('/api/v1/links').then((answer) => answer.json()).then(({ links }) => links[0].from)"
    #expect(try await browser.value(from, as: String.self).hasPrefix("2026-05-03T20:00:00"))

    try await browser.run("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    try await browser.run("document.addEventListener('copy', () => { globalThis.copied = document.getSelection().toString(); })")
    try await browser.click(".secret button")
    try await browser.wait("document.getElementById('toast').textContent === 'Copied.'")
    #expect(try await browser.value("copied === document.querySelector('.secret code').textContent", as: Bool.self))
    try await browser.run("document.execCommand = () => false")
    try await browser.click(".secret button")
    try await browser.wait("document.getElementById('toast').textContent.startsWith('The browser does not allow copying.')")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("the fields of the form for links are in rows, and each device can be chosen", .timeLimit(.minutes(20)))
  func linkForm() async throws {
    let server = try await RunningServer()
    #expect(try Executable.run(["device", "add", "van", "--data", server.data]).status == 0)
    let browser = try await Chromium()
    try await server.login(browser)
    for (width, height) in [(1280, 800), (390, 844)] {
      try await browser.resize(width: width, height: height)
      try await browser.visit("about:blank")
      try await browser.visit("http://127.0.0.1:\(server.port)/account#links")
      try await browser.wait(Self.pane("links"))
      // All fields of a row have the same top and the same height.
      let rows: [[Double]] = try await browser.value(
        """
        Object.values(Object.groupBy([...document.querySelectorAll("#pane-links .fields > label > :is(input, select)")], (field) => Math.round(field.getBoundingClientRect().bottom / 20)))
          .map((row) => row.map((field) => field.getBoundingClientRect()).flatMap(({ top, height }) => [Math.round(top), Math.round(height)]))
        """)
      #expect(rows.count == (width > 1000 ? 2 : 7), "\(rows)")
      for row in rows { #expect(Set(row).count == 2, "\(width) px: \(rows)") }
    }
    try await fill(browser, "#pane-links [name=name]", "On the way")
    try await browser.click("#pane-links button.main")
    try await browser.wait("document.querySelector('#pane-links .problem')?.textContent === 'Choose at least one device.'")
    #expect(try await browser.value("document.activeElement.name", as: String.self) == "devices")
    try await browser.click("#pane-links [name=devices][value=van]")
    try await browser.click("#pane-links button.main")
    try await browser.wait(
      "document.querySelector('.secret code') && document.querySelector('td small').textContent.includes('van')")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("a page requests nothing without a session, and leads to the sign-in page and back", .timeLimit(.minutes(20)))
  func withoutSession() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await browser.call("Network.enable")
    let page = "http://127.0.0.1:\(server.port)"
    for path in ["/?device=walker", "/devices#walker", "/timeline?day=2026-05-04"] {
      try await browser.visit("about:blank")
      try await browser.visit(page + path)
      try await browser.wait("location.pathname === '/sign-in' && document.readyState === 'complete'")
      #expect(try await browser.value("new URLSearchParams(location.search).get('next')", as: String.self) == path)
    }
    try await browser.visit("\(page)/api")
    try await browser.wait("document.readyState === 'complete'")
    let requests = browser.requests.filter { $0.contains("/api/v1/") && !$0.hasSuffix("/session/openid") }
    #expect(requests.isEmpty, "\(requests)")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test(
    "everything is exported as one archive, and deleted after a confirmation that lists the backups", .timeLimit(.minutes(20)))
  func everything() async throws {
    let server = try await RunningServer()
    #expect(try await ask("POST", server.endpoint, DayOfTests.overland(), token: server.token).status == 200)
    let backup = server.folder.path("before.godwit")
    #expect(try Executable.run(["backup", backup, "--data", server.data]).status == 0)
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.visit("http://127.0.0.1:\(server.port)/account#data")
    try await browser.wait("document.querySelector('#pane-data a.button')")
    let archive: String = try await browser.value(
      """
      fetch(document.querySelector('#pane-data a.button').href).then(async (answer) =>
        `${answer.status} ${String.fromCharCode(...new Uint8Array(await answer.arrayBuffer()).slice(0, 2))}`)
      """)
    #expect(archive == "200 PK")
    let devices = "fetch('/api/v1/devices').then((answer) => answer.json()).then(({ devices }) => devices.length)"
    #expect(try await browser.value(devices, as: Int.self) == 1)
    // The dialog lists what is deleted and which backups remain.
    try await browser.click("#pane-data button.danger")
    try await browser.wait("document.querySelector('dialog')?.innerText.includes('before.godwit')")
    let prompt: String = try await browser.value("document.querySelector('dialog').innerText")
    #expect(prompt.contains("Delete all devices?") && prompt.contains("1\u{00A0}device"), "\(prompt)")
    try await browser.click("dialog .buttons button.main")
    try await browser.wait("(\(devices)).then((count) => count === 0)")
    try await browser.visit("http://127.0.0.1:\(server.port)/trash")
    try await browser.wait("document.querySelector('.entries')?.innerText.includes('walker')")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test(
    "a private zone is drawn on the map by a click and applies; retention first shows what it would delete",
    .timeLimit(.minutes(20)))
  func zones() async throws {
    let server = try await RunningServer(device: "phone")
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.resize(width: 1000, height: 900)
    try await browser.visit("http://127.0.0.1:\(server.port)/account#zones")
    try await browser.wait("\(Self.pane("zones")) && document.body.dataset.map === 'drawn'", seconds: 60)
    try await browser.click("#zone-map")
    try await browser.wait("document.querySelector('#pane-zones [name=latitude]').value !== ''")
    try await fill(browser, "#pane-zones [name=name]", "Home")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('#pane-zones td')?.textContent === 'Home'")
    try await browser.click("#tab-devices")
    try await browser.wait(Self.pane("devices"))
    try await fill(browser, "#pane-devices [name=keep_days]", "10")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('#pane-devices [role=status]').textContent.includes('would be deleted: 0')")
    let rule = "fetch('/api/v1/devices/phone/retention').then((answer) => answer.json()).then((rule) => rule.keep_days)"
    #expect(try await browser.value("(\(rule)).then((days) => days === null)", as: Bool.self))
    try await browser.click("#pane-devices [name=dry]")
    try await browser.click("#pane-devices [name=thin_minutes]")
    try await browser.press("Enter")
    try await browser.wait("(\(rule)).then((days) => days === 10)")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }
}
