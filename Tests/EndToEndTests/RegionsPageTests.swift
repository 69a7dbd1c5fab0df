import Foundation
import TestParts
import Testing

@Suite(
  "The regions page in a browser", .serialized,
  .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
struct RegionsPageTests {
  private func open(_ server: RunningServer, width: Int = 1280, height: Int = 800) async throws -> Chromium {
    let browser = try await Chromium()
    try await browser.resize(width: width, height: height)
    try await server.login(browser)
    try await browser.visit("http://127.0.0.1:\(server.port)/regions#13/46.05/14.5")
    try await browser.wait("document.body.dataset.state === 'live' && document.body.dataset.map === 'drawn'", seconds: 60)
    return browser
  }

  private static func region(_ id: String) -> String { "(await (await fetch('/api/v1/regions/\(id)')).json())" }

  @Test("draws a circle and an area, changes their shapes by dragging, and stores them on the server", .timeLimit(.minutes(20)))
  func drawing() async throws {
    let server = try await RunningServer()
    let browser = try await open(server)
    try await browser.wait("!document.getElementById('empty').hidden")

    try await browser.click("[data-draw=circle]")
    try await browser.click(x: 800, y: 300)
    try await browser.wait("!document.getElementById('form').hidden")
    try await browser.type("Summer Café")
    #expect(try await browser.value("document.forms.form.elements.id.value", as: String.self) == "summer-cafe")
    let radius = "Number(document.forms.form.elements.radius.value)"
    let before: Double = try await browser.value(radius)
    try await browser.drag(".handle.rim", by: (60, 0))
    try await browser.wait("\(radius) > \(before * 1.1)")
    let dragged: Double = try await browser.value(radius)
    try await browser.click("#new-tag")
    try await browser.type("food, summer")
    try await browser.click("#save")
    try await browser.wait("document.body.dataset.regions === '1'")
    let stored: Double = try await browser.value("(async () => \(Self.region("summer-cafe")).radius)()")
    #expect(abs(stored - dragged) < 1)
    #expect(
      try await browser.value("(async () => \(Self.region("summer-cafe")).tags.join())()", as: String.self) == "food,summer")

    try await browser.click("[data-draw=area]")
    for place in [(600.0, 500.0), (700, 480), (720, 600), (620, 620)] { try await browser.click(x: place.0, y: place.1) }
    try await browser.press("Enter")
    try await browser.wait("document.querySelectorAll('.handle.corner').length === 4")
    try await browser.type("Park")
    try await browser.drag(".handle.between", by: (0, -40))
    try await browser.wait("document.querySelectorAll('.handle.corner').length === 5")
    try await browser.click("#save")
    try await browser.wait("document.body.dataset.regions === '2'")
    // The stored ring may repeat its first corner at the end.
    let corners: Int = try await browser.value("(async () => \(Self.region("park")).polygons[0][0].length)()")
    #expect(corners == 5 || corners == 6)

    try await browser.run("document.querySelector('.row').click()")
    try await browser.click("#delete")
    try await browser.wait("document.body.dataset.regions === '1'")
    try await browser.click("#toast button")
    try await browser.wait("document.body.dataset.regions === '2'")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
    #expect(try await server.stop() == 0)
  }

  @Test("a corner is removed with the Delete key if the page is in another language", .timeLimit(.minutes(20)))
  func removedCorner() async throws {
    let server = try await RunningServer()
    let browser = try await open(server)
    let put = "method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: '{\"language\":\"de\"}'"
    #expect(try await browser.value("fetch('/api/v1/preferences', { \(put) }).then(({ ok }) => ok)", as: Bool.self))
    try await browser.reload()
    try await browser.wait("document.body.dataset.state === 'live' && document.body.dataset.map === 'drawn'", seconds: 60)
    try await browser.click("[data-draw=area]")
    for place in [(600.0, 500.0), (700, 480), (720, 600), (620, 620)] { try await browser.click(x: place.0, y: place.1) }
    try await browser.press("Enter")
    try await browser.wait("document.querySelectorAll('.handle.corner').length === 4")
    try await browser.run(
      "document.querySelector('.handle.corner').dispatchEvent(new KeyboardEvent('keydown', { key: 'Delete', bubbles: true }))")
    try await browser.wait("document.querySelectorAll('.handle.corner').length === 3")
    #expect(try await server.stop() == 0)
  }

  @Test("shows the reason of a rejection by the server at the field", .timeLimit(.minutes(20)))
  func rejection() async throws {
    let server = try await RunningServer()
    let browser = try await open(server)
    try await browser.click("[data-draw=circle]")
    try await browser.click(x: 800, y: 300)
    try await browser.wait("!document.getElementById('form').hidden")
    try await browser.type("Home")
    try await browser.run("document.forms.form.elements.radius.value = '-1'")
    try await browser.click("#save")
    try await browser.wait("document.querySelector('[data-at=radius] .error').textContent !== ''")
    #expect(try await browser.value("document.body.dataset.regions", as: String.self) == "0")
    #expect(try await server.stop() == 0)
  }

  @Test("shows changes of other clients, imports and entries without a reload", .timeLimit(.minutes(20)))
  func changes() async throws {
    let server = try await RunningServer()
    let browser = try await open(server)
    try await browser.run(
      """
      fetch("/api/v1/regions/home", { method: "PUT", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ id: "home", name: "<b>Home</b>", center: { latitude: 46, longitude: 14 }, radius: 200 }) })
      """)
    try await browser.wait("document.querySelector('.row b')?.textContent === '<b>Home</b>'")

    let file = server.folder.path("places.geojson")
    let point = #"{"type":"Feature","id":"ID","geometry":{"type":"Point","coordinates":[14.1,46]},"properties":{"radius":R}}"#
    func write(_ ids: [(String, String)]) throws {
      let features = ids.map { point.replacing("\"ID\"", with: "\"\($0.0)\"").replacing("R}", with: "\($0.1)}") }
      try #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#.write(
        toFile: file, atomically: true, encoding: .utf8)
    }
    try write([("shop", "150"), ("bad", "-5")])
    try await browser.choose([file], in: "#file")
    try await browser.wait("document.getElementById('import-text').textContent.includes('radius')")
    #expect(try await browser.value("document.getElementById('import-go').hidden", as: Bool.self))
    try await browser.click("#import-no")
    try write([("shop", "150"), ("home", "300")])
    try await browser.choose([file], in: "#file")
    try await browser.wait("document.getElementById('import-text').textContent === 'New: 1, Changed: 1'")
    try await browser.click("#import-go")
    try await browser.wait("document.body.dataset.regions === '2'")

    try await browser.click("#tab-events")
    for (minute, longitude) in [(0, 14.5), (5, 14.1)] {
      let body = """
        {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[\(longitude),46]},
        "properties":{"timestamp":"2026-11-20T08:3\(minute):00Z","horizontal_accuracy":8}}]}
        """
      let curl = try Executable.run(
        try #require(Executable.find("curl")),
        ["-sf", "-H", "Authorization: Bearer \(server.token)", "-d", body, server.endpoint])
      #expect(curl.status == 0)
    }
    let events = "document.getElementById('events').innerText"
    try await browser.wait("\(events).includes('walker entered')")
    try await browser.click("#tab-devices")
    try await browser.wait("document.getElementById('devices').innerText.includes('walker')")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
    #expect(try await server.stop() == 0)
  }
}

extension Chromium {
  fileprivate func mouse(_ type: String, _ x: Double, _ y: Double) async throws {
    try await call(
      "Input.dispatchMouseEvent",
      ["type": type, "x": x, "y": y, "button": "left", "buttons": type == "mouseReleased" ? 0 : 1, "clickCount": 1])
  }

  fileprivate func click(x: Double, y: Double) async throws {
    try await call("Input.dispatchMouseEvent", ["type": "mouseMoved", "x": x, "y": y])
    try await mouse("mousePressed", x, y)
    try await mouse("mouseReleased", x, y)
  }

  /// Drags the first element that matches a selector by `offset` pixels.
  fileprivate func drag(_ selector: String, by offset: (Double, Double)) async throws {
    let place: [Double] = try await value(
      "(() => { const b = document.querySelector('\(selector)').getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
    )
    try await mouse("mousePressed", place[0], place[1])
    for step in 1...4 {
      let share = Double(step) / 4
      try await mouse("mouseMoved", place[0] + offset.0 * share, place[1] + offset.1 * share)
    }
    try await mouse("mouseReleased", place[0] + offset.0, place[1] + offset.1)
  }
}
