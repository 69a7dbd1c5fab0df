import Foundation
import GodwitModel
import TestParts
import Testing

@Suite(
  "The devices page in a browser", .serialized,
  .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
struct DevicesPageTests {
  private static let list = "document.body.dataset.state === 'list'"
  private static let device = "document.body.dataset.state === 'device'"

  private func upload(_ browser: Chromium, _ token: String, _ body: String) async throws {
    try await browser.run(
      """
      fetch('/api/overland', { method: 'POST', headers: { Authorization: 'Bearer \(token)' }, body: JSON.stringify(\(body)) })
      """)
  }

  @Test(
    "a device is added by keyboard; its token, links and codes are shown once, and its first upload is shown",
    .timeLimit(.minutes(20)))
  func adding() async throws {
    let server = try await RunningServer(more: ["--network-address", "127.0.0.2"])
    let browser = try await Chromium()
    try await server.login(browser)
    let page = "http://127.0.0.1:\(server.port)/devices"
    try await browser.visit(page)
    try await browser.wait(Self.list)
    #expect(try await browser.value("document.querySelector('td').innerText.includes('no data yet')", as: Bool.self))
    try await browser.run("document.querySelector('[name=name]').focus()")
    try await browser.type("Anna's <b>phone</b>")
    try await browser.press("Enter")
    try await browser.wait("!document.querySelector('.problem').hidden")
    try await browser.run("document.querySelector('[name=name]').value = ''")
    try await browser.type("annas phone")
    try await browser.press("Enter")
    try await browser.wait("document.activeElement?.id === 'new-token' && location.hash === '#annas%20phone'")
    let token: String = try await browser.value("document.querySelector('#new-token code').textContent")
    #expect(token.hasPrefix("gw_"))
    // A phone cannot reach 127.0.0.1, so there is no QR code before the server listens on the network.
    try await browser.wait("document.querySelector('#network.closed button')")
    #expect(try await browser.value("document.querySelector('#setup .qr, #setup-pane') === null", as: Bool.self))
    try await browser.click("#network button")
    try await browser.wait("document.activeElement?.matches('dialog .main')")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('#setup .qr path')?.getAttribute('d').length > 1000")
    let overland: String = try await browser.value("document.querySelector('#setup-pane a').getAttribute('href')")
    #expect(overland.hasPrefix("overland://setup?url=http%3A%2F%2F127.0.0.2%3A\(server.port)%2Fapi%2Foverland&token=\(token)"))
    try await browser.run("document.getElementById('setup-overland').focus()")
    try await browser.press("ArrowRight")
    try await browser.wait(
      "document.activeElement.id === 'setup-owntracks' && document.querySelector('#setup-pane a')?.href.startsWith('owntracks:')")
    let settings: [String: String] = try await browser.value(
      """
      (() => { const all = JSON.parse(atob(new URL(document.querySelector('#setup-pane a').href).searchParams.get('inline')));
        return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)])); })()
      """)
    #expect(settings["password"] == token && settings["mode"] == "3" && settings["_type"] == "configuration")
    #expect(settings["url"] == "http://127.0.0.2:\(server.port)/pub")
    for app in ["mqtt", "traccar", "gpslogger", "phonetrack", "godwit"] {
      try await browser.press("ArrowRight")
      try await browser.wait("document.getElementById('setup-pane').dataset.app === '\(app)'")
    }
    // The address for GPSLogger works.
    try await browser.run(
      "fetch('/api/gpslogger/\(token)?lat=46&lon=14.5&timestamp=' + Math.round(Date.now() / 1000) + '&bat=70')")
    // The page shows the first point without a reload, and still shows the token.
    try await browser.wait("document.querySelector('.first-point').dataset.state === 'arrived'")
    try await browser.wait("document.querySelector('.facts').innerText.includes('70\u{a0}%')")
    #expect(try await browser.value("document.querySelector('#new-token code').textContent", as: String.self) == token)
    try await browser.click(".bar a")
    try await browser.wait("\(Self.list) && document.querySelectorAll('.part > .table tbody tr').length === 2")
    let row: String = try await browser.value(
      "[...document.querySelectorAll('tbody tr')].find((row) => row.innerText.includes('annas phone')).innerText")
    #expect(
      row.contains("reporting") && row.contains("70\u{a0}%") && row.contains("46.0000, 14.5000") && !row.contains("Mozilla"),
      "\(row)")
    // The map is at the top, with the name of the device at its position. Details of the server are in a closed section below.
    try await browser.wait("document.body.dataset.map === 'drawn' && document.querySelector('#map a.map-name')")
    let order: [String] = try await browser.value(
      "[...document.querySelectorAll('#map, .part .table, .server-details')].map(({ id, className }) => id || className)")
    #expect(order.prefix(3) == ["map", "table", "server-details"], "\(order)")
    #expect(try await browser.value("document.querySelector('#map a.map-name').textContent", as: String.self) == "annas phone")
    try await browser.click(".server-details summary")
    let details: String = try await browser.value("document.querySelector('.server-details').innerText")
    #expect(details.contains("Mozilla"), "\(details)")
    // The token is not shown again.
    try await browser.run("[...document.querySelectorAll('a.name')].find((link) => link.textContent === 'annas phone').click()")
    try await browser.wait(Self.device)
    #expect(try await browser.value("document.body.innerText.includes('\(token)')", as: Bool.self) == false)
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("a rejected record is shown with its invalid value marked, corrected and stored", .timeLimit(.minutes(20)))
  func mending() async throws {
    let server = try await RunningServer(device: "phone")
    let browser = try await Chromium()
    try await server.login(browser)
    let page = "http://127.0.0.1:\(server.port)/devices"
    try await browser.visit(page)
    try await browser.wait(Self.list)
    let bad =
      #"{ type: 'Feature', geometry: { type: 'Point', coordinates: [14.5, 91] }, properties: { timestamp: new Date().toISOString() } }"#
    try await upload(browser, server.token, "{ locations: [\(bad)] }")
    try await browser.visit("\(page)#phone")
    try await browser.wait("\(Self.device) && document.querySelector('.rejection summary')")
    try await browser.run("document.querySelector('.rejection summary').focus()")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('.raw .fault')?.textContent.trim() === '91'")
    try await browser.click(".rejection button.main")
    try await browser.wait("document.querySelector('.rejection .problem')?.textContent.includes('91')")
    try await browser.run(
      "(() => { const text = document.querySelector('.rejection textarea'); text.value = text.value.replace('91', '46'); })()")
    try await browser.click(".rejection button.main")
    try await browser.wait(
      "!document.querySelector('.rejection') && document.body.innerText.includes('Everything was accepted.')")
    #expect(
      try await browser.value(
        "fetch('/api/v1/points').then((answer) => answer.json()).then(({ features }) => features.length)", as: Int.self) == 1)
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("settings are requested and withdrawn, and the administrator sets when a device is offline", .timeLimit(.minutes(20)))
  func ordering() async throws {
    let server = try await RunningServer(device: "phone")
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.resize(width: 390, height: 800)
    try await browser.visit("http://127.0.0.1:\(server.port)/devices#phone")
    try await browser.wait(Self.device)
    try await browser.run("document.querySelectorAll('.settings-section').forEach((box) => { box.open = true })")
    for (name, text) in [("send_interval", "10 s"), ("main.batch_size", "500 records"), ("main.visit_tracking", "On")] {
      try await browser.run(
        """
        (() => {
          const choice = document.getElementsByName('\(name)')[0];
          choice.selectedIndex = [...choice.options].findIndex(({ text }) => text.replaceAll('\\u00a0', ' ').startsWith('\(text)'));
          choice.dispatchEvent(new Event('change', { bubbles: true }));
        })()
        """)
    }
    #expect(try await browser.value("document.querySelector('.chosen').textContent.includes('500')", as: Bool.self))
    // A preset fills in its values, and the other choices stay.
    try await browser.run(
      "[...document.querySelectorAll('.preset')].find((one) => one.innerText.includes('Battery saving')).click()")
    try await browser.click(".settings-form button.main")
    try await browser.wait("document.body.innerText.includes('pending')")
    let wanted =
      "fetch('/api/v1/devices/phone/settings').then((answer) => answer.json()).then(({ desired }) => JSON.stringify(desired))"
    let sent = try JSONDecoder().decode(
      [String: SettingValue].self, from: Data(try await browser.value(wanted, as: String.self).utf8))
    #expect(
      sent == [
        "send_interval": .text("10s"), "main.batch_size": .number(500), "main.visit_tracking": .flag(true),
        "main.policy": .text("fixed"), "main.tracking_mode": .text("significant"), "main.pause_automatically": .flag(true),
        "main.resume_with_geofence": .text("500m"), "main.activity_type": .text("other"), "main.desired_accuracy": .text("100m"),
      ])
    // A setting that the server does not know is rejected beside the form, and the choices stay.
    try await browser.run("document.querySelectorAll('.settings-section').forEach((box) => { box.open = true })")
    try await browser.click("[name=settings]")
    try await browser.type("main.min_distanc=10m")
    try await browser.click(".settings-form button.main")
    try await browser.wait("document.querySelector('.settings-form .problem').textContent.includes('main.min_distanc')")
    #expect(try await browser.value("document.getElementsByName('main.batch_size')[0].value !== ''", as: Bool.self))
    try await browser.run("[...document.querySelectorAll('button')].find((button) => button.textContent === 'Cancel').click()")
    try await browser.wait("document.body.innerText.includes('cancelled')")
    try await browser.click("[name=after]")
    try await browser.type("90")
    try await browser.click("form:has([name=after]) button.main")
    try await browser.wait(
      "fetch('/api/v1/devices/phone/health').then((answer) => answer.json()).then(({ rule }) => rule.after_seconds === 5400)")
    // No element is wider than the screen of the phone.
    #expect(try await browser.value("document.documentElement.scrollWidth <= innerWidth", as: Bool.self))
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }
}
