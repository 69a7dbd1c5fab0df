import Foundation
import TestClient
import TestParts
import TestServer
import Testing

@Suite(
  "The history on the map page", .serialized, .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"),
  .timeLimit(.minutes(20)))
struct HistoryPanelTests {
  private static let isDrawn = "document.body.dataset.map === 'drawn'"
  private static let address = "location.search"

  /// Returns a server with one day of two devices, and a browser that is signed in.
  private static func opened() async throws -> (server: RunningServer, browser: Chromium, page: String) {
    let server = try await RunningServer()
    let added = try Executable.run(["device", "add", "car", "--data", server.data, "--json"])
    let object = try JSONSerialization.jsonObject(with: added.output) as? [String: Any]
    let token = try #require(object?["token"] as? String)
    for token in [server.token, token] {
      #expect(try await ask("POST", server.endpoint, DayOfTests.overland(), token: token).status == 200)
    }
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.resize(width: 1280, height: 860)
    return (server, browser, "http://127.0.0.1:\(server.port)")
  }

  /// Waits until the map shows history tiles whose addresses contain all `parts`.
  private static func draws(_ parts: String..., in browser: Chromium) async throws {
    let conditions = parts.map { "document.body.dataset.drawn?.includes('\($0)')" }
    try await browser.wait(conditions.joined(separator: " && "), seconds: 60)
  }

  /// Returns the number of pixels of the map that show land without a layer above it.
  private static func land(_ browser: Chromium) async throws -> Int {
    try await MapPageTests.image(browser).pixels { $0 == (0xF4, 0xF1, 0xEA) }.count
  }

  @Test("several devices and layers can be selected, and each colouring has its legend")
  func choices() async throws {
    let (server, browser, page) = try await Self.opened()
    try await browser.visit("\(page)/?live=off&device=walker")
    try await browser.wait("document.body.dataset.points > 0 && \(Self.isDrawn)", seconds: 60)
    #expect(try await browser.value("document.getElementById('history-panel').hidden", as: Bool.self))
    try await browser.click("#history")
    try await browser.wait("document.body.dataset.history === 'lines' && !document.getElementById('history-panel').hidden")
    try await Self.draws("device=walker&", "layers=lines", in: browser)
    #expect(try await !browser.value("document.body.dataset.drawn.includes('device=car')", as: Bool.self))

    let colours = "[...document.querySelectorAll('#history-devices .swatch')].map((one) => getComputedStyle(one).backgroundColor)"
    #expect(try await browser.value("new Set(\(colours)).size", as: Int.self) == 2)
    try await browser.click("#history-devices [value=car]")
    try await Self.draws("device=car", "device=walker", in: browser)
    let before = try await Self.land(browser)
    try await browser.click("#history-layers [value=hexagons]")
    try await Self.draws("device=car", "layers=lines,hexagons", in: browser)
    #expect(try await Self.land(browser) < before - 5000, "hexagons cover the land")
    try await browser.wait("document.body.dataset.history === 'lines,hexagons'")
    try await browser.wait(
      "/^[0-9.]+\\s?% of Ljubljana explored$/.test(document.getElementById('history-explored')?.textContent)")
    // The page shows photos only to a user with a photo server.
    #expect(try await browser.value("document.querySelector('#history-layers [value=photos]') === null", as: Bool.self))

    let legend = "document.getElementById('history-legend').innerText"
    #expect(try await browser.value(legend, as: String.self).isEmpty)
    try await browser.click("#history-coloring-speed")
    try await browser.wait("\(legend).includes('under 7 km/h') && \(legend).includes('over 250 km/h')")
    try await browser.click("#history-coloring-mode")
    try await browser.wait("\(legend).includes('Car or bus')")
    try await browser.click("#history-coloring-time")
    try await browser.wait("\(legend).includes('2026') && document.querySelector('#history-legend .ramp') !== null")

    // If the map shows more than one city, the panel shows the country. With reduced motion a zoom ends immediately.
    try await browser.call("Emulation.setEmulatedMedia", ["features": [["name": "prefers-reduced-motion", "value": "reduce"]]])
    for _ in 0..<10 { try await browser.run("document.querySelector('.maplibregl-ctrl-zoom-out').click()") }
    try await browser.wait(
      "/^[0-9.]+\\s?% of [A-Z][a-z]+ explored$/.test(document.getElementById('history-explored')?.textContent) "
        + "&& !document.getElementById('history-explored').textContent.includes('Ljubljana')", seconds: 60)
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
    withExtendedLifetime(server) {}
  }

  @Test("the range, the devices, the colours and the layers are in the address; Back restores the previous view")
  func address() async throws {
    let (server, browser, page) = try await Self.opened()
    try await browser.visit("\(page)/?live=off&device=walker")
    try await browser.wait("document.body.dataset.points > 0 && \(Self.isDrawn)", seconds: 60)
    try await browser.click("#history")
    try await browser.wait("\(Self.address) === '?live=off&device=walker&history=on'")
    try await browser.click("#history-range-month")
    try await browser.wait("\(Self.address).endsWith('&history=on&range=month')")
    // The range begins and ends at midnight in the time zone of the browser.
    try await Self.draws("from=2026-0", "to=2026-0", in: browser)
    try await browser.click("#history-coloring-speed")
    try await browser.click("#history-layers [value=stays]")
    let all = "&history=on&range=month&color=speed&layers=lines,stays"
    try await browser.wait("\(Self.address).endsWith('\(all)')")

    try await browser.reload()
    try await browser.wait("document.body.dataset.history === 'lines,stays' && document.body.dataset.points > 0")
    #expect(try await browser.value("\(Self.address).endsWith('\(all)')", as: Bool.self))
    #expect(try await browser.value("document.getElementById('history-range-month').checked", as: Bool.self))

    try await browser.run("history.back()")
    try await browser.wait(
      "document.body.dataset.history === 'lines' && document.getElementById('history-coloring-speed').checked")
    try await browser.run("history.go(-3)")
    try await browser.wait("document.getElementById('history-panel').hidden && document.body.dataset.history === ''")
    #expect(try await browser.value(Self.address, as: String.self) == "?live=off&device=walker")
    // The day is also in the address.
    try await browser.run(
      "Object.assign(document.getElementById('day'), { value: '2026-05-03' }).dispatchEvent(new Event('change'))")
    try await browser.wait("\(Self.address) === '?live=off&device=walker&day=2026-05-03'")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
    withExtendedLifetime(server) {}
  }

  @Test("the panel can be used with the keyboard, and by touch on a phone")
  func input() async throws {
    let (server, browser, page) = try await Self.opened()
    try await browser.visit("\(page)/?live=off&device=walker")
    try await browser.wait("document.body.dataset.points > 0 && \(Self.isDrawn)", seconds: 60)
    try await browser.run("document.getElementById('history').focus()")
    try await browser.press("Enter")
    try await browser.wait("document.activeElement.id === 'history-range-all'")
    try await browser.press("ArrowRight")
    try await browser.wait(
      "document.activeElement.id === 'history-range-custom' && document.getElementById('history-from') !== null")
    try await browser.press("Escape")
    try await browser.wait("document.getElementById('history-panel').hidden && document.activeElement.id === 'history'")
    #expect(try await browser.value("document.activeElement.getAttribute('aria-expanded')", as: String.self) == "false")

    try await browser.resize(width: 390, height: 844)
    try await browser.touch()
    try await browser.click("#history")
    try await browser.wait("!document.getElementById('history-panel').hidden")
    #expect(
      try await browser.value("document.documentElement.scrollWidth <= 390", as: Bool.self), "the page is wider than a phone")
    let heights = "[...document.querySelectorAll('#history-panel label')].map((one) => one.getBoundingClientRect().height)"
    #expect(try await browser.value("Math.min(...\(heights))", as: Double.self) >= 38)
    try await browser.click("#history-layers [value=heat]")
    try await browser.wait("document.body.dataset.history === 'lines,heat'")
    try await browser.click("#history-close")
    try await browser.wait("document.getElementById('history-panel').hidden")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
    withExtendedLifetime(server) {}
  }

  @Test("slow frames halve the resolution of the map, and the panel names the slow layers")
  func slowMachine() async throws {
    let (server, browser, page) = try await Self.opened()
    let isSlow = "document.querySelector('#history-layers label:has([value=heat])').title.includes('slowly')"
    let pixels = "document.querySelector('.maplibregl-canvas').width / document.getElementById('map').clientWidth"
    // Ten frames a second at most.
    try await browser.call(
      "Page.addScriptToEvaluateOnNewDocument",
      ["source": "const next = requestAnimationFrame; window.requestAnimationFrame = (frame) => setTimeout(next, 100, frame);"])
    try await browser.visit("\(page)/?live=off&device=walker&history=on")
    try await browser.wait("document.body.dataset.frames === 'slow' && \(isSlow)", seconds: 60)
    #expect(try await browser.value(pixels, as: Double.self) == 0.5)
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
    withExtendedLifetime(server) {}
  }

  @Test("photos of the selected days are on the map, and disappear when their layer is turned off")
  func photos() async throws {
    let immich = try ImmichServer(
      .init([.init(1, "2026-05-04T08:10:00.000Z", 46.05, 14.5), .init(2, "2026-05-04T08:20:00.000Z", 46.0501, 14.5001)]))
    let (server, browser, page) = try await Self.opened()
    let body = #"{"address":"\#(immich.address)","key":"immich-key"}"#
    #expect(try await ask("PUT", "\(page)/api/v1/photos/server", body, token: server.administratorToken).status == 200)
    try await browser.visit("\(page)/?live=off&device=walker&history=on&range=day")
    try await browser.wait("document.querySelector('#history-layers [value=photos]') !== null && \(Self.isDrawn)", seconds: 60)
    try await browser.click("#history-layers [value=photos]")
    try await browser.wait("document.body.dataset.photos === '2' && document.querySelectorAll('.photo-marker').length === 1")
    try await browser.click("#history-layers [value=photos]")
    try await browser.wait("document.body.dataset.photos === '0' && document.querySelector('.photo-marker') === null")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
    withExtendedLifetime((server, immich)) {}
  }
}
