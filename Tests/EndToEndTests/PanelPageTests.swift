import Foundation
import Godwit
import TestParts
import Testing

@Suite(
  "The control panel's page in a browser", .serialized,
  .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
struct PanelPageTests {
  private func open(_ panel: RunningPanel, _ path: String = "", isLoggedIn: Bool = true) async throws -> Chromium {
    let browser = try await Chromium()
    try await browser.resize(width: 360, height: 740)
    if isLoggedIn { try await panel.login(browser) }
    try await browser.visit(panel.address + path)
    return browser
  }

  private static let isLive = "document.body.dataset.link === 'live' && document.getElementById('sections').children.length > 1"

  // The same values as on the tracker screen of Overland.
  @Test("shows the age, place and altitude of the last location, the activity, and the pending records", .timeLimit(.minutes(20)))
  func location() async throws {
    let panel = try await RunningPanel()
    let browser = try await open(panel)
    try await browser.wait(Self.isLive)
    try await browser.wait("document.getElementById('age').textContent.match(/^[0-9] s$/)")
    // A GPX file reports no accuracy.
    try await browser.wait("document.getElementById('accuracy').textContent === '–'")
    try await browser.wait("document.getElementById('altitude').textContent === '120 m'")
    try await browser.wait("document.getElementById('coordinate').textContent.startsWith('46.05')")
    // The speed of the receiver alone is detected as moving, and later as cycling.
    try await browser.wait("['moving', 'cycling'].includes(document.getElementById('activity').textContent)")
    // No server responds, so the number of pending records grows.
    let waiting = "parseInt(document.getElementById('waiting').textContent)"
    try await browser.wait("\(waiting) > 0")
    let first: Int = try await browser.value(waiting)
    try await browser.wait("\(waiting) > \(first)")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
    try await panel.stop()
  }

  @Test("starts a trip, whose distance grows, and stops it", .timeLimit(.minutes(20)))
  func trip() async throws {
    let server = try await RunningServer()
    let panel = try await RunningPanel(server: server)
    let browser = try await open(panel)
    try await browser.wait(Self.isLive)
    try await browser.wait("document.getElementById('summary-title').textContent === 'Recording'")
    #expect(try await browser.value("document.getElementById('speed').textContent", as: String.self) == "22")

    try await browser.click("#modes input[value=run]")
    try await browser.wait("document.querySelector('#modes input[value=run]').checked")
    try await browser.click("#trip-button")
    try await browser.wait("document.getElementById('trip-button').textContent === 'Stop trip'")
    let distance = "parseInt(document.getElementById('distance').textContent)"
    try await browser.wait("\(distance) > 0")
    let first: Int = try await browser.value(distance)
    try await browser.wait("\(distance) > \(first) + 15")
    try await browser.wait("document.getElementById('duration').textContent.match(/^0:0[3-9]|^0:[1-9]/)")

    let trip = try #require(try await panel.get("/api/v1/status")["trip"] as? [String: Any])
    #expect(trip["mode"] as? String == "run")
    #expect(trip["distance"] as? Double ?? 0 > 15)

    try await browser.click("#trip-button")
    try await browser.wait("document.getElementById('trip-button').textContent === 'Start trip'")
    #expect(try await panel.get("/api/v1/status")["trip"] == nil)
    // The mode of the last trip is now the first in the list.
    try await browser.wait("document.querySelector('#modes input').value === 'run'")
    try await browser.click("#send")
    try await browser.wait("document.getElementById('sent').textContent.match(/^\\d+ s ago/)")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
    try await panel.stop()
    #expect(try await server.stop() == 0)
  }

  @Test("changes a setting after showing the difference, and the engine applies it", .timeLimit(.minutes(20)))
  func setting() async throws {
    let panel = try await RunningPanel()
    let browser = try await open(panel, "#settings")
    try await browser.wait(Self.isLive)
    try await browser.run(
      """
      (() => {
        const select = document.getElementById("field-main-min-distance");
        select.selectedIndex = [...select.options].findIndex((option) => option.text === "500 m");
        select.dispatchEvent(new Event("change"));
      })()
      """)
    try await browser.wait("document.getElementById('difference').textContent.includes('Min distanceOff → 500 m')")
    #expect(try await panel.setting("main.min_distance") == "off")
    try await browser.click("#save")
    try await browser.wait("document.getElementById('changes').hidden")
    #expect(try await panel.setting("main.min_distance") == "500m")
    try await browser.wait("document.getElementById('history').textContent.includes('Min distance Off → 500 m')")
    // Two fixes of the ride are six metres apart, so fixes are dropped now.
    let before = try await panel.get("/api/v1/status")["thinned"] as? Int ?? 0
    try await browser.run("new Promise((done) => setTimeout(done, 3000))")
    #expect(try await panel.get("/api/v1/status")["thinned"] as? Int ?? 0 > before)
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
    try await panel.stop()
    let event = try #require(try Journal(path: panel.journal).settingsEvents().first)
    #expect(event.name == "main.min_distance" && event.new == #""500m""# && event.source == "user")
  }

  @Test("an invalid value is reported beside its field, and no input is lost", .timeLimit(.minutes(20)))
  func rejected() async throws {
    let panel = try await RunningPanel()
    let browser = try await open(panel, "#settings")
    try await browser.wait(Self.isLive)
    for (field, text) in [("field-device-id", "van"), ("field-wifi-zones", "home@91,14")] {
      try await browser.click("#\(field)")
      try await browser.type(text)
    }
    try await browser.wait("document.getElementById('field-wifi-zones').ariaInvalid === 'true'")
    let wrong: String = try await browser.value("document.getElementById('wrong-wifi-zones').textContent")
    #expect(wrong == #""wifi_zones" cannot be ["home@91,14"]; expected a list of NAME@LATITUDE,LONGITUDE."#)
    try await browser.click("#save")
    try await browser.wait("document.activeElement.id === 'field-wifi-zones'")
    #expect(try await panel.setting("device_id") == "")
    // The input is also kept over a reload.
    try await browser.reload()
    try await browser.wait(Self.isLive + " && document.getElementById('field-wifi-zones').value === 'home@91,14'")
    try await browser.run("document.getElementById('field-wifi-zones').select()")
    try await browser.type("home@46,14")
    try await browser.wait("document.getElementById('field-wifi-zones').ariaInvalid === null")
    // Waits for the response of the tracker, after which the button does not move.
    try await browser.wait(
      "document.getElementById('changes-problem').hidden && document.getElementById('difference').textContent.includes('home@46')"
    )
    try await browser.click("#save")
    try await browser.wait("document.getElementById('changes').hidden")
    #expect(try await panel.setting("device_id") == "van")
    #expect(try await panel.setting("wifi_zones").contains("home@46.0,14.0"))
    try await panel.stop()
  }

  @Test("a preset shows what it would change, and changes nothing until it is saved", .timeLimit(.minutes(20)))
  func preset() async throws {
    let panel = try await RunningPanel()
    let browser = try await open(panel, "#settings")
    try await browser.wait(Self.isLive)
    try await browser.click("#presets button:nth-child(2)")
    try await browser.wait("document.querySelectorAll('#difference li').length === 3")
    let difference: String = try await browser.value("document.getElementById('difference').textContent")
    #expect(difference.contains("Tracking modeStandard → Significant") && difference.contains("Off → 500 m"))
    #expect(try await panel.setting("main.tracking_mode") == "standard")
    try await browser.click("#discard")
    try await browser.wait("document.getElementById('changes').hidden")
    try await browser.click("#presets button:nth-child(2)")
    try await browser.wait("document.querySelectorAll('#difference li').length === 3")
    try await browser.click("#save")
    try await browser.wait("document.querySelector('#presets button:nth-child(2)').ariaPressed === 'true'")
    #expect(try await panel.setting("main.resume_with_geofence") == "500m")
    try await panel.stop()
  }

  @Test("works with the keyboard alone: the slider, the switch, the screens", .timeLimit(.minutes(20)))
  func keyboard() async throws {
    let panel = try await RunningPanel()
    let browser = try await open(panel)
    try await browser.wait(Self.isLive)
    try await browser.press("Tab")
    #expect(try await browser.value("document.activeElement.className", as: String.self) == "skip")
    try await browser.run("document.getElementById('interval').focus()")
    for _ in 0..<3 { try await browser.press("ArrowRight") }
    #expect(try await browser.value("document.getElementById('interval').ariaValueText", as: String.self) == "Every 1 min")
    try await browser.wait(
      "fetch('/api/v1/status').then((answer) => answer.json()).then((status) => status.send_interval === '1m')")
    try await browser.run("document.getElementById('tracking').focus()")
    try await browser.press("Space")
    try await browser.wait("document.getElementById('summary-title').textContent === 'Tracking is off'")
    try await browser.wait("document.activeElement.id === 'tracking'")
    try await browser.run("document.querySelector('#bar nav a[data-screen=trip]').focus()")
    try await browser.press("Enter")
    try await browser.wait("!document.getElementById('screen-trip').hidden && document.title.startsWith('Trip Settings')")
    try await panel.stop()
  }

  @Test("reports that the tracker stopped, and connects again", .timeLimit(.minutes(20)))
  func lost() async throws {
    let panel = try await RunningPanel()
    let browser = try await open(panel)
    try await browser.wait(Self.isLive)
    try await panel.stop()
    try await browser.wait("document.body.dataset.link === 'lost' && !document.getElementById('lost').hidden")
    try await panel.start()
    try await browser.wait("document.body.dataset.link === 'live' && document.getElementById('lost').hidden")
    try await panel.stop()
  }

  @Test("asks for the token, and reads it from the link without leaving it in the address", .timeLimit(.minutes(20)))
  func signIn() async throws {
    let panel = try await RunningPanel(options: ["--panel-token", "correct-horse-battery"])
    let browser = try await open(panel, isLoggedIn: false)
    try await browser.wait("!document.getElementById('sign-in').hidden")
    #expect(
      try await browser.value("document.querySelector('#sign-in pre').textContent", as: String.self) == "godwit login --panel")
    try await browser.type("wrong-horse-battery")
    try await browser.press("Enter")
    try await browser.wait("document.getElementById('sign-in-problem').textContent.includes('not the panel')")
    try await browser.visit(panel.address + "#token=correct-horse-battery")
    try await browser.wait(Self.isLive)
    #expect(try await browser.value("location.href", as: String.self) == panel.address)
    #expect(try await browser.value("document.cookie", as: String.self) == "")
    try await browser.visit(panel.address + "?again")
    try await browser.wait(Self.isLive)
    try await panel.stop()
  }

  @Test("fits a small phone and a desktop, and every control has a name", .timeLimit(.minutes(20)))
  func fits() async throws {
    let panel = try await RunningPanel()
    let browser = try await open(panel)
    try await browser.wait(Self.isLive)
    for (width, height) in [(360, 740), (1280, 800)] {
      try await browser.resize(width: width, height: height)
      for screen in ["tracker", "settings", "trip"] {
        try await browser.run("location.hash = '\(screen)'")
        try await browser.wait("!document.getElementById('screen-\(screen)').hidden")
        let overflow: Int = try await browser.value("document.documentElement.scrollWidth - innerWidth")
        #expect(overflow <= 0, "\(screen) at \(width)")
      }
    }
    let nameless: [String] = try await browser.value(
      """
      [...document.querySelectorAll("input, select, textarea, button, a")]
        .filter((each) => !(each.labels?.length || each.ariaLabel || each.textContent.trim())).map((each) => each.outerHTML)
      """)
    #expect(nameless.isEmpty, "\(nameless)")
    // A screen reader must not announce values that change every second.
    let announced: Int = try await browser.value("document.querySelectorAll('output:not([aria-live=off])').length")
    #expect(announced == 0)
    let settings: Int = try await browser.value("document.querySelectorAll('.field').length")
    let known = try Executable.run(["settings", "--json"])
    #expect(settings == (try JSONSerialization.jsonObject(with: known.output) as? [String: Any])?.count)
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
    try await panel.stop()
  }
}
