import Foundation
import TestClient
import TestParts
import Testing

@Suite(
  "The timeline and statistics pages in a browser", .serialized,
  .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
struct TimelinePageTests {
  private static let isReady = "document.body.dataset.state === 'ready'"

  private static func upload(to server: RunningServer) async throws {
    #expect(try await ask("POST", server.endpoint, DayOfTests.overland(), token: server.token).status == 200)
  }

  private static let isMade =
    "fetch('/api/v1/visits?device=walker').then((answer) => answer.json()).then(({ visits, pending }) => visits.length === 2 && pending === 0)"

  @Test(
    "a day is a list of visits and trips beside a map; a place gets a name by keyboard, and an outlier is corrected",
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

    try await browser.run("document.querySelector('.visit button.name').focus()")
    try await browser.press("Enter")
    try await browser.wait("document.activeElement?.name === 'name'")
    try await browser.type("<b>Home</b>")
    try await browser.press("Enter")
    try await browser.wait("document.querySelector('.visit b')?.textContent === '<b>Home</b>'")

    try await browser.run("document.getElementById('marks').open = true")
    try await browser.click("#marks li button")
    try await browser.wait("document.getElementById('marks').hidden && \(Self.isReady)")

    try await browser.click("#earlier")
    // The corrected point is on the next day, so that the day may be processed again at first.
    try await browser.wait(
      "!document.getElementById('nothing').hidden && document.getElementById('summary').textContent === '' && \(Self.isReady)")
    try await browser.click("#nothing a")
    try await browser.wait("\(Self.isReady) && document.querySelectorAll('#entries > li.visit').length > 0")
    try await browser.resize(width: 390, height: 800)
    #expect(
      try await browser.value("document.documentElement.scrollWidth <= 390", as: Bool.self), "the page is wider than a phone")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test(
    "the profile of a day ends at the distance of the summary, also if positions vary during stays", .timeLimit(.minutes(20)))
  func distances() async throws {
    let server = try await RunningServer()
    let start = Date(timeIntervalSince1970: 1_777_881_600)
    // An hour at home, ten minutes of driving and an hour at work. Positions of stays vary by some metres.
    let features = (0..<190).map { step in
      let minute = step < 60 ? Double(step) : step < 120 ? 60 + Double(step - 60) / 6 : Double(step - 50)
      let latitude = step < 60 ? 46.05 : step < 120 ? 46.05 + Double(step - 60) * 0.001 : 46.11
      let longitude = 14.5 + (60..<120 ~= step ? 0 : Double(step * 7 % 5) * 0.0001)
      return
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(longitude),\#(latitude)]},"properties":{"timestamp":"\#((start + minute * 60).ISO8601Format())","horizontal_accuracy":15,"altitude":\#(300 + step)}}"#
    }
    #expect(
      try await ask("POST", server.endpoint, #"{"locations":[\#(features.joined(separator: ","))]}"#, token: server.token).status
        == 200)
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.wait(Self.isMade)
    try await browser.call(
      "Page.addScriptToEvaluateOnNewDocument",
      [
        "source": """
        window.drawn = [];
        const write = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { window.drawn.push(text); return write.call(this, text, ...rest); };
        """
      ])
    try await browser.visit("http://127.0.0.1:\(server.port)/timeline?device=walker&day=2026-05-04")
    try await browser.wait(
      "\(Self.isReady) && document.querySelectorAll('#entries > li').length === 3 && window.drawn.length > 0")
    let summary: String = try await browser.value("document.getElementById('summary').textContent.split(' · ')[0]")
    #expect(try await browser.value("window.drawn.at(-1)", as: String.self) == summary)
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test(
    "a running server uses a file of godwit roads: the trip has the length of the road, and its line can be turned off",
    .timeLimit(.minutes(20)))
  func roads() async throws {
    let server = try await RunningServer()
    try await Self.upload(to: server)
    let browser = try await Chromium()
    try await server.login(browser)
    try await browser.visit("http://127.0.0.1:\(server.port)/timeline?device=walker&day=2026-05-04")
    try await browser.wait(Self.isMade)
    #expect(try await browser.value("document.getElementById('along-roads').hidden", as: Bool.self))
    let before = try await browser.value(Self.tripLength, as: Double.self)
    // A road that alternates 15 m to both sides of the straight line of the drive.
    let nodes = (0...120).map { index in
      "<node id='\(index + 1)' lat='\(46.05 + Double(index) * 0.0005)' lon='\(14.5 + (index.isMultiple(of: 2) ? 0.0002 : -0.0002))'/>"
    }
    let extract = server.folder.path("drive.osm")
    try """
    <osm version="0.6">\(nodes.joined())<way id="1">\((1...121).map { "<nd ref='\($0)'/>" }.joined())<tag k="highway" v="primary"/></way></osm>
    """.write(toFile: extract, atomically: true, encoding: .utf8)
    let made = try Executable.run(["roads", extract, "--output", server.data + "/drive.roads"])
    #expect(made.status == 0 && made.text.contains("roads: 1;"), "\(made.errorOutput)")
    try await browser.wait("(\(Self.tripLength)).then((length) => length > \(before + 300))")
    try await browser.reload()
    try await browser.wait("\(Self.isReady) && !document.getElementById('along-roads').hidden")
    let isCredited = "document.querySelector('.map-credits')?.textContent.includes('OpenStreetMap contributors') ?? false"
    try await browser.wait(isCredited)
    try await browser.click("#along-roads input")
    try await browser.wait("!(\(isCredited)) && !document.querySelector('#along-roads input').checked")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  private static let tripLength =
    "fetch('/api/v1/trips?device=walker').then((answer) => answer.json()).then(({ trips }) => trips[0].distance)"

  @Test(
    "a wrong visit is corrected in two clicks, stays so after a reload and an import of the same day, and is undone",
    .timeLimit(.minutes(20)))
  func corrections() async throws {
    let server = try await RunningServer()
    try await Self.upload(to: server)
    let browser = try await Chromium()
    try await server.login(browser)
    let page = "http://127.0.0.1:\(server.port)"
    try await browser.visit("\(page)/timeline?device=walker&day=2026-05-04")
    try await browser.wait(Self.isMade)
    // Another place is near, and the visit is moved to it.
    try await browser.run(
      """
      fetch("/api/v1/places", { method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ device: "walker", name: "Dentist", latitude: 46.058, longitude: 14.5, radius: 60 }) })
      """)
    try await browser.reload()
    try await browser.wait("\(Self.isReady) && document.querySelectorAll('#entries > li').length === 3")
    try await browser.click(".visit button.name")
    try await browser.wait("document.querySelector('.editor .chip')")
    try await browser.click(".editor .chip")
    let isDentist = "\(Self.isReady) && document.querySelector('.visit b')?.textContent === 'Dentist'"
    try await browser.wait(isDentist)
    try await browser.wait("!document.getElementById('notice').hidden")
    try await browser.reload()
    try await browser.wait(isDentist)
    try await Self.upload(to: server)
    try await browser.reload()
    try await browser.wait(isDentist)
    // Two more clicks correct the mode of the trip.
    try await browser.click(".trip button.name")
    try await browser.wait("document.querySelectorAll('.modes .chip').length === 8")
    try await browser.click(".modes .chip:nth-child(5)")
    try await browser.wait("\(Self.isReady) && document.querySelector('.trip i')?.textContent === 'Train'")
    try await browser.click("#notice button")
    try await browser.wait("\(Self.isReady) && document.querySelector('.trip i')?.textContent === 'Car or bus'")
    try await browser.run("document.getElementById('corrections').open = true")
    try await browser.click("#corrections li button")
    try await browser.wait("\(Self.isReady) && document.querySelector('.visit b')?.textContent.startsWith('Near ')")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test(
    "points of a visit, of the visible area and of a day are deleted after a confirmation, and restored", .timeLimit(.minutes(20))
  )
  func deletion() async throws {
    let server = try await RunningServer()
    try await Self.upload(to: server)
    let browser = try await Chromium()
    try await server.login(browser)
    let page = "http://127.0.0.1:\(server.port)"
    try await browser.visit("\(page)/timeline")
    try await browser.wait(Self.isMade)
    try await browser.visit("\(page)/timeline?day=2026-05-04")
    try await browser.wait(
      "\(Self.isReady) && document.body.dataset.map === 'drawn' && document.querySelectorAll('.visit').length === 2")
    let points =
      "fetch('/api/v1/points?device=walker&limit=1000').then((answer) => answer.json()).then(({ features }) => features.length)"
    let all: Int = try await browser.value(points)
    #expect(all > 100)
    // Deletes the first visit in its editor.
    try await browser.click(".visit button.name")
    let button = "[...document.querySelectorAll('.editor button')].find((button) => button.textContent === 'Delete points…')"
    try await browser.wait(button)
    try await browser.run("\(button).click()")
    try await browser.wait("document.querySelector('dialog')?.innerText.includes('You can undo this for 7 days.')")
    try await browser.click("dialog .buttons button.main")
    try await browser.wait(
      "\(Self.isReady) && document.querySelectorAll('.visit').length === 1 && document.querySelector('.undo-notice')")
    let left: Int = try await browser.value(points)
    #expect(left < all - 50 && left > 50)
    try await browser.click(".undo-notice button")
    try await browser.wait("\(Self.isReady) && document.querySelectorAll('.visit').length === 2")
    #expect(try await browser.value(points, as: Int.self) == all)
    // Deletes all of the day, then the visible area, which has all points of the day.
    for id in ["delete-days", "delete-view"] {
      try await browser.run("document.getElementById('removal').open = true")
      try await browser.run("document.getElementById('\(id)').click()")
      try await browser.wait("document.querySelector('dialog .buttons button.main')")
      try await browser.click("dialog .buttons button.main")
      try await browser.wait(
        "\(Self.isReady) && !document.getElementById('nothing').hidden && document.querySelector('.undo-notice')")
      #expect(try await browser.value(points, as: Int.self) <= 1, "\(id)")
      try await browser.click(".undo-notice button")
      try await browser.wait("\(Self.isReady) && document.querySelectorAll('.visit').length === 2")
    }
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("the address has the days: Back and a reload keep them, and a week is a list by day", .timeLimit(.minutes(20)))
  func address() async throws {
    let server = try await RunningServer()
    try await Self.upload(to: server)
    let browser = try await Chromium()
    try await server.login(browser)
    let page = "http://127.0.0.1:\(server.port)"
    try await browser.visit("\(page)/timeline?device=walker&day=2026-05-04")
    try await browser.wait(Self.isMade)
    try await browser.reload()
    try await browser.wait("\(Self.isReady) && document.querySelectorAll('#entries > li').length === 3")
    try await browser.click("[data-span=week]")
    try await browser.wait("\(Self.isReady) && document.querySelectorAll('#entries > li.day').length === 1")
    #expect(try await browser.value("new URLSearchParams(location.search).has('from')", as: Bool.self))
    // The last visit of the device has no end, so the following weeks have it too. Therefore an earlier week is opened.
    try await browser.click("#earlier")
    try await browser.wait("\(Self.isReady) && !document.getElementById('nothing').hidden")
    try await browser.run("history.back()")
    try await browser.wait("\(Self.isReady) && document.querySelectorAll('#entries > li.visit').length === 2")
    try await browser.click("#entries .day button")
    try await browser.wait("\(Self.isReady) && new URLSearchParams(location.search).get('day') === '2026-05-04'")
    try await browser.run("history.back()")
    try await browser.wait("\(Self.isReady) && document.querySelectorAll('#entries > li.day').length === 1")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test(
    "the position of the device at a time is selected with arrow keys, and shown on the map, in the list and in the profile",
    .timeLimit(.minutes(20)))
  func replay() async throws {
    let server = try await RunningServer()
    try await Self.upload(to: server)
    let browser = try await Chromium()
    try await server.login(browser)
    let page = "http://127.0.0.1:\(server.port)"
    try await browser.visit("\(page)/timeline?device=walker&day=2026-05-04")
    try await browser.wait(Self.isMade)
    try await browser.reload()
    try await browser.wait("\(Self.isReady) && !document.getElementById('replay').hidden")
    try await browser.run("document.querySelector('#replay input').focus()")
    try await browser.press("ArrowRight")
    try await browser.wait("document.querySelector('#entries > li.now')?.className.includes('visit')")
    try await browser.run(
      "{ const slider = document.querySelector('#replay input'); slider.value = 1000; slider.dispatchEvent(new Event('input')); }"
    )
    try await browser.wait("document.querySelector('#entries > li.now')?.className.includes('trip')")
    try await browser.click("#replay .play")
    try await browser.wait("document.querySelector('#replay .play').ariaLabel === 'Pause'")
    try await browser.wait("Number(document.querySelector('#replay input').value) > 1050")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("when the server is down, the page shows nothing of another day", .timeLimit(.minutes(20)))
  func gone() async throws {
    let server = try await RunningServer()
    try await Self.upload(to: server)
    let browser = try await Chromium()
    try await server.login(browser)
    let page = "http://127.0.0.1:\(server.port)"
    try await browser.visit("\(page)/timeline?device=walker&day=2026-05-04")
    try await browser.wait(Self.isMade)
    try await browser.reload()
    try await browser.wait("\(Self.isReady) && document.querySelectorAll('#entries > li').length === 3")
    try await browser.run("window.fetch = () => Promise.reject(new TypeError('Failed to fetch'))")
    try await browser.click("#earlier")
    try await browser.wait("document.body.dataset.state === 'failed'")
    #expect(try await browser.value("document.querySelectorAll('#entries > li').length", as: Int.self) == 0)
    #expect(try await browser.value("document.getElementById('summary').textContent", as: String.self) == "–")
    #expect(try await browser.value("!document.getElementById('failed').hidden", as: Bool.self))
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("a place is found, resized, merged and removed, and has its visits by date", .timeLimit(.minutes(20)))
  func places() async throws {
    let server = try await RunningServer()
    try await Self.upload(to: server)
    let browser = try await Chromium()
    try await server.login(browser)
    let page = "http://127.0.0.1:\(server.port)"
    try await browser.visit("\(page)/places")
    try await browser.wait(Self.isMade)
    try await browser.wait("\(Self.isReady) && !document.getElementById('nothing').hidden")
    try await browser.run(
      """
      Promise.all([["Home", 46.05], ["<i>Work</i>", 46.11], ["Far", 10]].map(([name, latitude]) =>
        fetch("/api/v1/places", { method: "POST", headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ device: "walker", name, latitude, longitude: 14.5 }) })))
      """)
    try await browser.reload()
    try await browser.wait("\(Self.isReady) && document.querySelectorAll('#list li').length === 3")
    try await browser.run("document.getElementById('search').focus()")
    try await browser.type("work")
    try await browser.wait("document.querySelectorAll('#list li').length === 1")
    #expect(try await browser.value("document.querySelector('#list b').textContent", as: String.self) == "<i>Work</i>")
    try await browser.click("#list a")
    try await browser.wait("\(Self.isReady) && document.querySelectorAll('#visits a').length === 1")
    try await browser.run(
      "{ const field = document.querySelector('[name=radius]'); field.value = 250; field.dispatchEvent(new Event('input')); }")
    try await browser.click("#place form button.main")
    // The notice is shown after the page has been drawn with the stored values.
    try await browser.wait("\(Self.isReady) && !!document.querySelector('.undo-notice')")
    #expect(try await browser.value("document.querySelector('[name=radius]')?.value === '250'", as: Bool.self))
    try await browser.wait(
      "fetch('/api/v1/places').then((answer) => answer.json()).then(({ places }) => places.some(({ radius }) => radius === 250))")
    try await browser.click("#visits a")
    try await browser.wait(
      "location.pathname === '/timeline' && \(Self.isReady) && document.querySelectorAll('#entries > li').length === 3")
    try await browser.run("history.back()")
    try await browser.wait(
      "location.pathname === '/places' && \(Self.isReady) && document.querySelectorAll('#visits a').length === 1")
    try await browser.click("#place .danger")
    try await browser.click("#place .danger")
    try await browser.wait("\(Self.isReady) && document.querySelectorAll('#list li').length === 2")
    try await browser.resize(width: 390, height: 800)
    #expect(try await browser.value("document.documentElement.scrollWidth <= 390", as: Bool.self))
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  /// Expressions with functions of `days.js`, and their values.
  private static let expressions: [(String, String)] = [
    ("hours('2026-03-29', 'Europe/Ljubljana')", "23"), ("hours('2026-10-25', 'Europe/Ljubljana')", "25"),
    ("hours('2026-05-04', 'UTC')", "24"), ("hours('2025-09-07', 'America/Santiago')", "23"),
    ("hours('2011-12-30', 'Pacific/Apia')", "0"), ("sign('2026-10-25T00:30:00Z')", "(UTC+2)"),
    ("sign('2026-10-25T01:30:00Z')", "(UTC+1)"), ("sign('2026-10-25T02:30:00Z')", ""),
    ("new Date(days.fromField('2026-10-25T02:30', 'Europe/Ljubljana')).toISOString()", "2026-10-25T00:30:00.000Z"),
    ("days.fromField('2026-03-29T02:30', 'Europe/Ljubljana')", "null"),
    ("days.toField(Date.parse('2026-05-04T22:15:00Z'), 'Asia/Kathmandu')", "2026-05-05T04:00"),
    ("days.addDays('2026-02-28', 1)", "2026-03-01"), ("days.isDay('2026-02-30')", "false"),
    ("days.weekOf('2026-11-25', 1)", "2026-11-23"), ("days.weekOf('2026-11-25', 7)", "2026-11-22"),
  ]

  @Test("a day is computed in the time zone of the device: it has 23 or 25 hours, and 02:30 twice", .timeLimit(.minutes(20)))
  func zones() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    try await server.login(browser)
    // The statistics page, because without points the map redirects to /welcome.
    try await browser.visit("http://127.0.0.1:\(server.port)/statistics")
    for (expression, expected) in Self.expressions {
      let found: String = try await browser.value(
        """
        (async () => {
          const days = await import("/days.js");
          const hours = (day, zone) => { const { start, end } = days.boundsOf(day, zone); return (end - start) / 3600000; };
          const sign = (time) => /[(].*[)]/.exec(days.clock(Date.parse(time), "Europe/Ljubljana"))?.[0] ?? "";
          return String(\(expression));
        })()
        """)
      #expect(found == expected, "\(expression)")
    }
  }

  @Test("a year has days, months and places; arrow keys move from day to day, and Enter opens a day", .timeLimit(.minutes(20)))
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
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("each year has a bar that opens it; records and places open their days", .timeLimit(.minutes(20)))
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
    #expect(titles == ["Furthest from home", "Longest day", "Longest trip: Car or bus", "Fastest: Car or bus"])
    let links: [String] = try await browser.value(
      "[...document.querySelectorAll('.record, #places a')].map((link) => link.getAttribute('href'))")
    #expect(links.count == 6 && Set(links) == ["/timeline?device=walker&day=2026-05-04"])
    try await browser.resize(width: 390, height: 844)
    #expect(
      try await browser.value("document.documentElement.scrollWidth <= 390", as: Bool.self), "the page is wider than a phone")
    try await browser.click("#months a")
    try await browser.wait("\(Self.isReady) && document.getElementById('year').textContent === '2026'")
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }

  @Test("flights have their own scale, so one flight does not make the other bars small")
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

  @Test("the year in review is a picture that is created and saved in the browser", .timeLimit(.minutes(20)))
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
      try await browser.value("document.documentElement.scrollWidth <= 390", as: Bool.self), "the page is wider than a phone")
    let others: [String] = try await browser.value(
      "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => !name.startsWith(location.origin) && !name.startsWith('data:'))"
    )
    #expect(others.isEmpty)
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }
}
