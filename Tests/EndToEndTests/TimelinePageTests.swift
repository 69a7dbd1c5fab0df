import Foundation
import TestClient
import TestParts
import Testing

@Suite(
  "The pages of days and years in a browser", .serialized,
  .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
struct TimelinePageTests {
  private static let isReady = "document.body.dataset.state === 'ready'"

  private static func upload(to server: RunningServer) async throws {
    #expect(try await ask("POST", server.endpoint, DayOfTests.overland(), token: server.token).status == 200)
  }

  private static let isMade =
    "fetch('/api/v1/visits?device=walker').then((answer) => answer.json()).then(({ visits, pending }) => visits.length === 2 && pending === 0)"

  @Test(
    "a day is a list of visits and trips beside a map; a place gets a name by keyboard, and a wrong point is put right",
    .timeLimit(.minutes(20)))
  func day() async throws {
    let server = try await RunningServer()
    try await Self.upload(to: server)
    let browser = try await Chromium()
    try await server.login(browser)
    let page = "http://127.0.0.1:\(server.port)"
    try await browser.visit("\(page)/timeline")
    try await browser.wait(Self.isMade)
    try await browser.visit("\(page)/timeline?day=2026-05-04")
    try await browser.wait("\(Self.isReady) && document.querySelectorAll('#entries > li').length === 3")
    let kinds: String = try await browser.value(
      "[...document.querySelectorAll('#entries > li')].map((li) => li.className).join()")
    #expect(kinds == "visit,trip,visit")
    #expect(try await browser.value("document.querySelector('.trip i').textContent", as: String.self) == "Car or bus")
    #expect(
      try await browser.value("document.querySelector('#marks summary').textContent", as: String.self) == "1\u{a0}point hidden")

    try await browser.run("document.querySelector('.visit .more button').focus()")
    try await browser.press("Enter")
    try await browser.wait("document.activeElement?.name === 'name'")
    try await browser.type("<b>Home</b>")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('.visit b')?.textContent === '<b>Home</b>'")

    try await browser.run("document.getElementById('marks').open = true")
    try await browser.click("#marks li button")
    try await browser.wait("document.getElementById('marks').hidden && \(Self.isReady)")

    try await browser.click("#earlier")
    try await browser.wait("!document.getElementById('nothing').hidden && \(Self.isReady)")
    try await browser.resize(width: 390, height: 800)
    #expect(
      try await browser.value("document.documentElement.scrollWidth <= 390", as: Bool.self), "nothing is cut off on a phone")
    #expect(browser.complaints.isEmpty, "\(browser.complaints)")
  }

  @Test("a year is days, months and places; arrow keys go from day to day, and Enter opens one", .timeLimit(.minutes(20)))
  func year() async throws {
    let server = try await RunningServer()
    try await Self.upload(to: server)
    let browser = try await Chromium()
    try await server.login(browser)
    let page = "http://127.0.0.1:\(server.port)"
    try await browser.visit("\(page)/statistics")
    try await browser.wait(Self.isMade)
    try await browser.visit("\(page)/statistics?device=walker&year=2026")
    try await browser.wait("\(Self.isReady) && document.querySelectorAll('#calendar a').length === 1")
    #expect(try await browser.value("document.querySelectorAll('#calendar rect').length", as: Int.self) == 365)
    #expect(try await browser.value("document.querySelectorAll('#months rect').length", as: Int.self) >= 1)
    #expect(try await browser.value("document.querySelectorAll('#places li').length", as: Int.self) == 2)
    try await browser.click("#earlier")
    try await browser.wait("\(Self.isReady) && document.getElementById('year').textContent === '2025'")
    #expect(try await browser.value("document.querySelectorAll('#calendar a').length", as: Int.self) == 0)
    try await browser.click("#later")
    try await browser.wait("\(Self.isReady) && document.querySelectorAll('#calendar a').length === 1")
    try await browser.run("document.querySelector('#calendar a').focus()")
    try await browser.press("ArrowRight")
    try await browser.press("Enter")
    try await browser.wait("location.pathname === '/timeline' && document.querySelectorAll('#entries > li').length === 3")
    #expect(browser.complaints.isEmpty, "\(browser.complaints)")
  }

  @Test("all years are bars that open their year; records and places open their days", .timeLimit(.minutes(20)))
  func allYears() async throws {
    let server = try await RunningServer()
    try await Self.upload(to: server)
    let browser = try await Chromium()
    try await server.login(browser)
    let page = "http://127.0.0.1:\(server.port)"
    try await browser.visit("\(page)/statistics")
    try await browser.wait(Self.isMade)
    try await browser.visit("\(page)/statistics?device=walker&year=all")
    try await browser.wait("\(Self.isReady) && document.getElementById('year').textContent === 'All years'")
    #expect(try await browser.value("document.getElementById('days').hidden", as: Bool.self))
    #expect(try await browser.value("document.querySelectorAll('#months a').length", as: Int.self) == 1)
    let titles: [String] = try await browser.value(
      "[...document.querySelectorAll('.record small')].map((small) => small.textContent)")
    #expect(titles == ["Furthest from home", "Longest day", "Longest trip: car or bus", "Fastest: car or bus"])
    let links: [String] = try await browser.value(
      "[...document.querySelectorAll('.record, #places a')].map((link) => link.getAttribute('href'))")
    #expect(links.count == 6 && Set(links) == ["/timeline?device=walker&day=2026-05-04"])
    try await browser.resize(width: 390, height: 844)
    #expect(
      try await browser.value("document.documentElement.scrollWidth <= 390", as: Bool.self), "nothing is cut off on a phone")
    try await browser.click("#months a")
    try await browser.wait("\(Self.isReady) && document.getElementById('year').textContent === '2026'")
    #expect(browser.complaints.isEmpty, "\(browser.complaints)")
  }

  @Test("one flight does not flatten the other months: it has its own scale")
  func flights() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.visit("http://127.0.0.1:\(server.port)/statistics")
    let heights: [Double] = try await browser.value(
      """
      import('/statistics-charts.js').then(({ distances }) => {
        const place = document.getElementById('months');
        distances(place, [
          { label: 'a', modes: { car: { distance: 300e3 } } }, { label: 'b', modes: { car: { distance: 150e3 }, plane: { distance: 9e6 } } },
        ]);
        return [...place.querySelectorAll('rect')].map((bar) => Math.round(bar.getAttribute('height')));
      })
      """)
    try #require(heights.count == 3)
    #expect(heights[0] == 2 * heights[1] && heights[0] > 90 && heights[2] > 60, "\(heights)")
  }

  @Test("the year in review is a picture that is made and saved in the browser", .timeLimit(.minutes(20)))
  func review() async throws {
    let server = try await RunningServer()
    try await Self.upload(to: server)
    let browser = try await Chromium()
    try await server.login(browser)
    let page = "http://127.0.0.1:\(server.port)"
    try await browser.visit("\(page)/statistics")
    try await browser.wait(Self.isMade)
    try await browser.visit("\(page)/review?device=walker&year=2026")
    try await browser.wait("\(Self.isReady) && document.querySelector('#card svg path')")
    try await browser.click("#options [name=title]")
    try await browser.type("<b>Anna</b> & co")
    try await browser.wait("document.querySelector('#card svg').textContent.includes('<b>Anna</b> & co')")
    let size: [Int] = try await browser.value(
      """
      import('/review-card.js').then(async ({ png }) => {
        const bitmap = await createImageBitmap(await png(document.querySelector('#card svg')));
        return [bitmap.width, bitmap.height];
      })
      """)
    #expect(size == [1080, 1350])
    try await browser.click("#save")
    try await browser.wait("document.body.dataset.saved === '2026-in-review.png'")
    #expect(try await browser.value("document.getElementById('problem').hidden", as: Bool.self))
    try await browser.run("document.querySelector('[name=map]').click()")
    try await browser.wait("!document.querySelector('#card svg path')")
    try await browser.click("#earlier")
    try await browser.wait("\(Self.isReady) && !document.getElementById('empty').hidden && !document.querySelector('#card svg')")
    try await browser.resize(width: 390, height: 844)
    #expect(
      try await browser.value("document.documentElement.scrollWidth <= 390", as: Bool.self), "nothing is cut off on a phone")
    let others: [String] = try await browser.value(
      "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => !name.startsWith(location.origin) && !name.startsWith('data:'))"
    )
    #expect(others.isEmpty)
    #expect(browser.complaints.isEmpty, "\(browser.complaints)")
  }
}
