import Foundation
import TestClient
import TestParts
import Testing

@Suite("Maps in a browser", .serialized, .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
struct MapPageTests {
  private static let isDrawn = "document.body.dataset.map === 'drawn'"
  private static let hasNoMap = "document.body.dataset.map === 'none'"

  /// The pages with a map, and an expression that is true when the page is ready.
  private static let pages = [
    (path: "/?live=off", ready: "document.body.dataset.points === '3'"),
    (path: "/timeline?device=walker&day=2026-05-04", ready: "document.body.dataset.state === 'ready'"),
    (path: "/regions?live=off", ready: "document.body.dataset.regions === '1'"),
    (path: "/account#zones", ready: "document.body.dataset.state === 'zones'"),
  ]

  private static func server() async throws -> RunningServer {
    let server = try await RunningServer()
    let points = (0..<3).map { minute in
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[14.5,46.0\#(minute)]},"properties":{"timestamp":"2026-05-04T08:0\#(minute):00Z","horizontal_accuracy":5}}"#
    }
    let batch = #"{"locations":[\#(points.joined(separator: ","))]}"#
    #expect(try await ask("POST", server.endpoint, batch, token: server.token).status == 200)
    let region = #"{"id":"home","name":"Home","center":{"latitude":46.01,"longitude":14.5},"radius":200}"#
    let address = "http://127.0.0.1:\(server.port)/api/v1/regions/home"
    #expect(try await ask("PUT", address, region, token: server.administratorToken).status == 201)
    return server
  }

  static func image(_ browser: Chromium) async throws -> PNGImage {
    let picture = try await browser.call("Page.captureScreenshot", ["format": "png"])["data"] as? String
    let encoded = try #require(picture)
    return try PNGImage(try #require(Data(base64Encoded: encoded)))
  }

  @Test("every page draws its map, and requests nothing from another server", .timeLimit(.minutes(20)))
  func pages() async throws {
    let server = try await Self.server()
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.call("Network.enable")
    let origin = "http://127.0.0.1:\(server.port)/"
    for page in Self.pages {
      try await browser.visit(origin + page.path.dropFirst())
      try await browser.wait("\(page.ready) && \(Self.isDrawn)", seconds: 60)
      #expect(try await browser.value("document.querySelectorAll('canvas.maplibregl-canvas').length", as: Int.self) == 1)
    }
    let elsewhere = browser.requests.filter { address in
      !["\(origin)", "blob:\(origin)", "data:"].contains { address.hasPrefix($0) }
    }
    #expect(elsewhere.isEmpty, "\(elsewhere)")
    // The sizes of the transferred bodies, which are compressed. A service worker is bypassed, because its bodies count uncompressed.
    try await browser.call("Network.setBypassServiceWorker", ["bypass": true])
    let size = """
      performance.getEntriesByType('resource').filter(({ name }) => FILTER && !/basemap\\/|fonts\\//.test(name))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
      """
    try await browser.visit(origin)
    try await browser.wait(Self.isDrawn, seconds: 60)
    #expect(try await browser.value(size.replacing("FILTER", with: "true"), as: Double.self) < 500_000)
    #expect(try await browser.value(size.replacing("FILTER", with: "!name.includes('maplibre')"), as: Double.self) < 100_000)
    #expect(browser.requests.contains { $0.hasSuffix("/maplibre-gl.js") })
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("a map without a map file and without tiles has land, sea and names", .timeLimit(.minutes(20)))
  func world() async throws {
    let server = try await Self.server()
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.call("Network.enable")
    try await browser.resize(width: 900, height: 500)
    try await browser.visit("http://127.0.0.1:\(server.port)/regions?live=off#5/46/12")
    try await browser.wait("document.body.dataset.state === 'still' && \(Self.isDrawn)", seconds: 60)
    let image = try await Self.image(browser)
    // The colours of land and sea in basemap-palette.js.
    #expect(image.pixels { $0 == (0xF4, 0xF1, 0xEA) }.count > 50000)
    #expect(image.pixels { $0 == (0xCA, 0xDB, 0xE0) }.count > 10000)
    // The worker of the map requests the tiles, so only the glyphs are among the requests of the page.
    #expect(browser.requests.contains { $0.contains("/fonts/Noto%20Sans%20Regular/0-255.pbf") })
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("without WebGL a page shows a message instead of the map, and all other content", .timeLimit(.minutes(20)))
  func withoutWebGL() async throws {
    let server = try await Self.server()
    let browser = try await Chromium(drawing: .none)
    try await server.login(browser)
    for page in Self.pages {
      try await browser.visit("http://127.0.0.1:\(server.port)\(page.path)")
      try await browser.wait("\(page.ready) && \(Self.hasNoMap)")
      #expect(try await browser.value("document.querySelector('.map-message').innerText", as: String.self).contains("WebGL"))
    }
    // A region can be created without the map, because the form has fields for the position.
    try await browser.visit("http://127.0.0.1:\(server.port)/regions")
    try await browser.wait("document.body.dataset.regions === '1' && document.body.dataset.state === 'live'")
    try await browser.click("[data-draw=circle]")
    try await browser.wait("!document.getElementById('form').hidden")
    try await browser.type("Office")
    try await browser.run("document.forms.form.elements.latitude.value = '46.05'")
    try await browser.click("#save")
    try await browser.wait("document.body.dataset.regions === '2'")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test(
    "the live map lists devices and friends with age, accuracy and battery, and selects one", .timeLimit(.minutes(20)))
  func people() async throws {
    let server = try await RunningServer()
    let added = try Executable.run(["device", "add", "van", "--data", server.data, "--json"])
    let made = try #require(JSONSerialization.jsonObject(with: added.output) as? [String: Any])
    let tokens = ["walker": server.token, "van": try #require(made["token"] as? String)]
    let now = Date().ISO8601Format()
    for (device, latitude, battery) in [("van", 46.05, 0.7), ("walker", 45.54, 0.2)] {
      let feature =
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[14.5,\#(latitude)]},"properties":{"timestamp":"\#(now)","horizontal_accuracy":12,"battery_level":\#(battery),"device_id":"\#(device)"}}"#
      #expect(try await ask("POST", server.endpoint, #"{"locations":[\#(feature)]}"#, token: tokens[device]).status == 200)
    }
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.visit("http://127.0.0.1:\(server.port)/?device=van")
    try await browser.wait("document.body.dataset.map === 'drawn' && !document.getElementById('people').hidden")
    try await browser.click("#people summary")
    let list: String = try await browser.value("document.querySelector('#people ul').innerText")
    #expect(list.contains("van") && list.contains("walker") && list.contains("± 12") && list.contains("20\u{a0}%"), "\(list)")
    #expect(list.contains(" ago"), "\(list)")
    // A device that does not move has no profile.
    #expect(try await browser.value("document.getElementById('profile').hidden", as: Bool.self))
    // The other device has its name on the map. The device of the track is marked in the list.
    #expect(try await browser.value("document.querySelector('.map-name').textContent", as: String.self) == "walker")
    #expect(
      try await browser.value("document.querySelector('#people [aria-pressed=true]').innerText.includes('van')", as: Bool.self))
    try await browser.run("document.querySelector('#people [data-device=walker] button').click()")
    try await browser.wait("document.getElementById('device').value === 'walker' && location.search.includes('device=walker')")
    try await browser.wait("document.querySelector('#people [aria-pressed=true]').innerText.includes('walker')")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("the names of devices at one place do not overlap, also beside the zoom buttons", .timeLimit(.minutes(20)))
  func names() async throws {
    let server = try await RunningServer()
    for (index, device) in ["anna", "bob", "van", "walker"].enumerated() {
      var token = server.token
      if device != "walker" {
        let added = try Executable.run(["device", "add", device, "--data", server.data, "--json"])
        let made = try #require(JSONSerialization.jsonObject(with: added.output) as? [String: Any])
        token = try #require(made["token"] as? String)
      }
      // Three devices at one place, and one far away in the south-east, where the zoom buttons are.
      let place = index == 2 ? "[16,44]" : "[14.5,46]"
      let now = (Date() - (device == "bob" ? 0 : 60)).ISO8601Format()
      let feature =
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":\#(place)},"properties":{"timestamp":"\#(now)","device_id":"\#(device)"}}"#
      #expect(try await ask("POST", server.endpoint, #"{"locations":[\#(feature)]}"#, token: token).status == 200)
    }
    let browser = try await Chromium()
    try await server.login(browser)
    let isOnTop = """
      (names) => names.length > 0 && names.every((name) => {
        const { left, right, top, bottom } = name.getBoundingClientRect();
        return [[left + 4, top + 4], [right - 4, bottom - 4]].every(([x, y]) => document.elementFromPoint(x, y)?.closest(".map-name") === name);
      })
      """
    for (width, height) in [(1280, 800), (390, 844)] {
      try await browser.resize(width: width, height: height)
      try await browser.visit("about:blank")
      try await browser.visit("http://127.0.0.1:\(server.port)/devices")
      try await browser.wait("document.body.dataset.map === 'drawn' && document.querySelectorAll('#map a.map-name').length === 4")
      try await browser.wait("(\(isOnTop))([...document.querySelectorAll('#map .map-name')])", seconds: 5)
      let isFree = """
        (() => {
          const box = document.querySelector(".maplibregl-ctrl-group").getBoundingClientRect();
          return [...document.querySelectorAll("#map .map-dot")].every((dot) => {
            const { left, right, top, bottom } = dot.getBoundingClientRect();
            return right < box.left || left > box.right || bottom < box.top || top > box.bottom;
          });
        })()
        """
      #expect(try await browser.value(isFree, as: Bool.self), "a dot lies under the zoom buttons at \(width) px")
    }
    // The live map first selects the device of the newest point. A click on a name selects its device.
    try await browser.resize(width: 1280, height: 800)
    try await browser.visit("http://127.0.0.1:\(server.port)/?live=off")
    try await browser.wait("document.body.dataset.state === 'still'")
    #expect(try await browser.value("document.getElementById('device').value", as: String.self) == "bob")
    try await browser.visit("http://127.0.0.1:\(server.port)/?device=walker")
    try await browser.wait("document.body.dataset.map === 'drawn' && document.querySelectorAll('button.map-name').length === 3")
    try await browser.click("button.map-name[aria-label=bob]")
    try await browser.wait("document.getElementById('device').value === 'bob'")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("a map becomes dark with the page", .timeLimit(.minutes(20)))
  func dark() async throws {
    let server = try await Self.server()
    let browser = try await Chromium()
    try await server.login(browser)
    // A small window, because its pixels are counted faster.
    try await browser.resize(width: 700, height: 420)
    try await browser.visit("http://127.0.0.1:\(server.port)/?live=off")
    try await browser.wait("document.body.dataset.points === '3' && \(Self.isDrawn)", seconds: 60)
    // The colours of the land in basemap-palette.js and of the line of the track.
    func count(_ red: UInt8, _ green: UInt8, _ blue: UInt8) async throws -> Int {
      try await Self.image(browser).pixels { $0 == (red, green, blue) }.count
    }
    #expect(try await count(0xF4, 0xF1, 0xEA) > 10000)
    #expect(try await count(0x0B, 0x6E, 0x6E) > 100)
    try await browser.call("Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": "dark"]]])
    // Waits for a frame with the new colours.
    for _ in 0..<100 where try await count(0x4C, 0xC9, 0xC0) < 100 {}
    #expect(try await count(0x1C, 0x24, 0x27) > 10000)
    #expect(try await count(0x4C, 0xC9, 0xC0) > 100)
    #expect(try await count(0x0B, 0x6E, 0x6E) == 0)
  }

  @Test(
    "a region is created with the keyboard alone: in the middle of the map, and moved with arrow keys", .timeLimit(.minutes(20)))
  func keyboard() async throws {
    let server = try await Self.server()
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.resize(width: 1280, height: 800)
    try await browser.visit("http://127.0.0.1:\(server.port)/regions#13/46.05/14.5")
    try await browser.wait("document.body.dataset.state === 'live' && \(Self.isDrawn)", seconds: 60)
    try await browser.run("document.querySelector('[data-draw=circle]').focus()")
    try await browser.press("Enter")
    try await browser.wait("document.activeElement.className.includes('maplibregl-canvas')")
    try await browser.press("Enter")
    try await browser.wait("!document.getElementById('form').hidden")
    let latitude = "Number(document.forms.form.elements.latitude.value)"
    let before: Double = try await browser.value(latitude)
    #expect(abs(before - 46.05) < 0.001)
    // The card covers the left side of the map, so the middle of the visible part is east of its centre.
    #expect(try await browser.value("Number(document.forms.form.elements.longitude.value)", as: Double.self) > 14.51)
    try await browser.type("Park")
    try await browser.run("document.querySelector('.handle.center').focus()")
    try await browser.press("ArrowRight")
    try await browser.wait("Number(document.forms.form.elements.longitude.value) > 14.51")
    try await browser.click("#save")
    try await browser.wait("document.body.dataset.regions === '2'")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("the values of the day are shown before the map, whose shaders block the page's thread", .timeLimit(.minutes(20)))
  func values() async throws {
    let server = try await Self.server()
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.call(
      "Page.addScriptToEvaluateOnNewDocument",
      [
        "source": """
        new MutationObserver(() => {
          const { points, map } = document.body?.dataset ?? {};
          if (map && map !== 'loading') window.pointsOfMap ??= Number(points);
        }).observe(document, { subtree: true, childList: true, attributes: true });
        """
      ])
    for _ in 0..<3 {
      try await browser.visit("about:blank")
      try await browser.visit("http://127.0.0.1:\(server.port)/?live=off")
      try await browser.wait("window.pointsOfMap !== undefined")
      #expect(try await browser.value("window.pointsOfMap", as: Int.self) > 0)
    }
  }

  @Test("zooming ends at the highest zoom for which the server has detail", .timeLimit(.minutes(20)))
  func zoom() async throws {
    let server = try await Self.server()
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.call("Network.enable")
    try await browser.visit("http://127.0.0.1:\(server.port)/regions?live=off#25/46.05/14.5")
    try await browser.wait("document.body.dataset.state === 'still' && \(Self.isDrawn)", seconds: 60)
    #expect(try await browser.value("document.querySelector('.maplibregl-ctrl-zoom-in').disabled", as: Bool.self))
    try await browser.visit("http://127.0.0.1:\(server.port)/?live=off&history=on#zoomed")
    try await browser.wait("document.body.dataset.history === 'lines' && \(Self.isDrawn)", seconds: 60)
    // With reduced motion a zoom ends immediately.
    try await browser.call(
      "Emulation.setEmulatedMedia", ["features": [["name": "prefers-reduced-motion", "value": "reduce"]]])
    for _ in 0..<24 { try await browser.run("document.querySelector('.maplibregl-ctrl-zoom-in').click()") }
    try await browser.wait("document.querySelector('.maplibregl-ctrl-zoom-in').disabled", seconds: 60)
    let zooms = browser.requests.compactMap { $0.firstMatch(of: #/zoom=(\d+)/#).flatMap { Int($0.1) } }
    #expect(!zooms.isEmpty && zooms.allSatisfy { $0 <= 22 }, "\(zooms)")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }
}
