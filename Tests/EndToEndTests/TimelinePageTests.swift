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
}
