import Foundation
import TestClient
import TestParts
import TestServer
import Testing

@Suite(
  "Photos in a browser", .serialized, .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"),
  .timeLimit(.minutes(20)))
struct PhotoPageTests {
  private static let isShown = "document.body.dataset.state === 'photos'"

  private static func immich() throws -> ImmichServer {
    try ImmichServer(
      .init([
        .init(1, "2026-05-04T08:10:00.000Z", 46.05, 14.5), .init(2, "2026-05-04T08:20:00.000Z", 46.0501, 14.5001),
        .init(3, "2026-05-04T08:30:00.000Z", 47.05, 15.5), .init(4, "2026-05-04T08:40:00.000Z"),
      ]))
  }

  /// Connects the Immich server with the form of the page.
  private func connect(_ browser: Chromium, _ immich: ImmichServer, key: String = "immich-key") async throws {
    try await browser.run("document.querySelector('#pane-photos [name=address]').value = ''")
    try await browser.click("#pane-photos [name=address]")
    try await browser.type(immich.address)
    try await browser.press("Tab")
    try await browser.type(key)
    try await browser.press("Enter")
  }

  @Test("a user connects an Immich server on the account page, by keyboard, and removes it again")
  func settings() async throws {
    let immich = try Self.immich()
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.visit("http://127.0.0.1:\(server.port)/account#photos")
    try await browser.wait(Self.isShown)
    #expect(
      try await browser.value(
        "document.querySelector('#pane-photos').textContent.includes('not tried with a real Immich')", as: Bool.self))
    try await connect(browser, immich, key: "wrong")
    try await browser.wait("document.querySelector('#pane-photos .problem:not([hidden])')?.textContent.includes('API key')")
    #expect(try await browser.value("document.activeElement.name", as: String.self) == "key")
    try await connect(browser, immich)
    try await browser.wait(
      "document.querySelector('#pane-photos .state')?.textContent.startsWith('Connected to \(immich.address)')")
    #expect(try await !browser.value("document.documentElement.outerHTML.includes('immich-key')", as: Bool.self))
    try await browser.resize(width: 390, height: 844)
    #expect(
      try await browser.value("document.documentElement.scrollWidth <= 390", as: Bool.self), "the page is wider than a phone")
    let disconnect = "#pane-photos .state button"
    try await browser.run("document.querySelector('\(disconnect)').click()")
    try await browser.run("document.querySelector('\(disconnect)').click()")
    try await browser.wait("!document.querySelector('#pane-photos .state')")
    // The rejected attempt may be reported with its status 422.
    #expect(browser.pageErrors.allSatisfy { $0.contains("422") }, "\(browser.pageErrors)")
  }

  @Test("photos are at the visit of their time, and disappear on another day")
  func timeline() async throws {
    let immich = try Self.immich()
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await server.login(browser)
    let page = "http://127.0.0.1:\(server.port)"
    let body = #"{"address":"\#(immich.address)","key":"immich-key"}"#
    #expect(try await ask("PUT", "\(page)/api/v1/photos/server", body, token: server.administratorToken).status == 200)
    let points = (0..<60).map { minute in
      let time = "2026-05-04T08:\(minute < 10 ? "0" : "")\(minute):00Z"
      return #"{"type":"Feature","geometry":{"type":"Point","coordinates":[14.5,46.05]},"properties":{"timestamp":"\#(time)"}}"#
    }
    let upload = #"{"locations":[\#(points.joined(separator: ","))]}"#
    #expect(try await ask("POST", server.endpoint, upload, token: server.token).status == 200)
    try await browser.visit("\(page)/timeline?device=walker&day=2026-05-04")
    try await browser.wait("document.querySelectorAll('#entries .visit .photo-strip img').length === 4")
    try await browser.resize(width: 390, height: 844)
    #expect(
      try await browser.value("document.documentElement.scrollWidth <= 390", as: Bool.self), "the page is wider than a phone")
    try await browser.click("#earlier")
    try await browser.wait("document.body.dataset.photos === '0' && !document.querySelector('.photo-strip')")
    immich.change { $0.always = ("500 Internal Server Error", [:], "") }
    try await browser.click("#later")
    try await browser.wait("document.querySelector('.photo-problem')?.textContent.includes('status 500')")
    #expect(try await browser.value("document.querySelectorAll('#entries .visit').length", as: Int.self) == 1)
  }

  @Test("a strip and a viewer show photos that Godwit fetched; the browser sends no request to another server")
  func photos() async throws {
    let immich = try Self.immich()
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await server.login(browser)
    let page = "http://127.0.0.1:\(server.port)"
    let body = #"{"address":"\#(immich.address)","key":"immich-key"}"#
    #expect(try await ask("PUT", "\(page)/api/v1/photos/server", body, token: server.administratorToken).status == 200)
    try await browser.visit("\(page)/statistics")
    try await browser.run(
      """
      window.shown = import('/photos.js').then(async (module) => {
        const { photos, problem } = await module.photos('2026-05-04T00:00:00Z', '2026-05-05T00:00:00Z');
        document.querySelector('main').prepend(module.strip(photos, { zone: 'UTC' }));
        document.body.dataset.photos = `${photos.length} ${problem} ${module.between(photos, '2026-05-04T08:15:00Z', '2026-05-04T08:35:00Z').length}`;
      })
      """)
    try await browser.wait("document.body.dataset.photos === '4 null 2'")
    let images = "[...document.querySelectorAll('.photo-strip img')]"
    try await browser.wait("\(images).every((image) => image.complete && image.naturalWidth === 1)")
    let label: String = try await browser.value("document.querySelector('.photo-strip').getAttribute('aria-label')")
    #expect(label == "Photos: 4")
    try await browser.run("document.querySelector('.photo-strip button').focus()")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('.photo-viewer')?.open")
    for (key, number) in [("ArrowRight", "2 of 4"), ("ArrowLeft", "1 of 4"), ("ArrowLeft", "4 of 4")] {
      try await browser.press(key)
      try await browser.wait("document.querySelector('.photo-caption').textContent.endsWith('\(number)')")
    }
    let link: String = try await browser.value("document.querySelector('.photo-viewer a').href")
    #expect(link.hasPrefix(immich.address + "/photos/"))
    try await browser.press("Escape")
    try await browser.wait("!document.querySelector('.photo-viewer')")
    let groups: [Int] = try await browser.value(
      """
      import('/photos.js').then(async (module) => {
        const { photos } = await module.photos('2026-05-04T00:00:00Z', '2026-05-05T00:00:00Z');
        const at = (zoom) => module.clusters(photos, ({ lat, lon }) => ({ x: (lon + 180) * zoom, y: (90 - lat) * zoom })).map(({ photos }) => photos.length);
        return [...at(100), ...at(1e6)];
      })
      """)
    #expect(
      groups == [2, 1, 1, 1, 1], "two photos are one cluster at a low zoom, and a photo without a position is not on the map")
    let others: [String] = try await browser.value(
      "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => !name.startsWith(location.origin))")
    #expect(others.isEmpty)
    // If the Immich server fails, the page lacks only the photos.
    immich.change { $0.always = ("500 Internal Server Error", [:], "") }
    let problem: String = try await browser.value(
      "import('/photos.js').then((module) => module.photos('2026-05-04T00:00:00Z', '2026-05-05T00:00:00Z')).then(({ problem }) => problem)"
    )
    #expect(problem.contains("status 500"))
  }
}
