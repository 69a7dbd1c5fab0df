import Foundation
import TestClient
import TestParts
import TestServer
import Testing

/// A page, and the condition under which its content is complete.
struct CheckedPage: Sendable, CustomTestStringConvertible {
  let path: String
  /// An expression that is true when the page has its content.
  let isReady: String
  var needsSession = true

  var testDescription: String { path }

  private static let stateIsReady = "document.body.dataset.state === 'ready'"

  static let all = [
    CheckedPage(
      path: "/", isReady: "['live', 'still'].includes(document.body.dataset.state) && document.body.dataset.points > 0"),
    CheckedPage(
      path: "/?history=on&color=speed", isReady: "document.body.dataset.history === 'lines' && document.body.dataset.points > 0"),
    CheckedPage(path: "/timeline?day=2026-05-04", isReady: stateIsReady),
    CheckedPage(path: "/statistics?year=2026", isReady: stateIsReady),
    CheckedPage(path: "/devices", isReady: "document.body.dataset.state === 'list'"),
    CheckedPage(path: "/devices#walker", isReady: "document.body.dataset.state === 'device'"),
    CheckedPage(path: "/regions", isReady: "document.body.dataset.state === 'live'"),
    CheckedPage(path: "/import", isReady: stateIsReady),
    CheckedPage(path: "/places?device=walker", isReady: stateIsReady),
    CheckedPage(path: "/review?device=walker&year=2026", isReady: stateIsReady),
    CheckedPage(path: "/trash", isReady: "document.body.dataset.state === 'list'"),
    CheckedPage(path: "/integrations", isReady: stateIsReady),
    CheckedPage(path: "/settings", isReady: stateIsReady),
    CheckedPage(path: "/welcome", isReady: stateIsReady),
    CheckedPage(path: "/account", isReady: "document.readyState === 'complete' && document.querySelector('main h2') !== null"),
    CheckedPage(path: "/api", isReady: "document.readyState === 'complete'"),
    CheckedPage(path: "/sign-in", isReady: "document.readyState === 'complete'", needsSession: false),
  ]
}

/// Checks that apply to every page.
@Suite("Every page in a browser", .serialized, .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
struct PageQualityTests {
  /// The script of axe-core, which checks WCAG 2.2, A and AA, and best practices.
  private static var axe: String {
    get throws { try String(contentsOf: try #require(TestPart.axe.file, "\(TestPart.axe.reason)"), encoding: .utf8) }
  }

  private static let audit = """
    axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
      .then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 120)).join(" | ")}`))
    """

  private static func server() async throws -> RunningServer {
    let server = try await RunningServer()
    #expect(try await ask("POST", server.endpoint, DayOfTests.overland(), token: server.token).status == 200)
    return server
  }

  @Test(
    "no page violates a rule of accessibility, in light mode on a desktop and in dark mode on a phone",
    .enabled(if: TestPart.axe.isRun, "\(TestPart.axe.reason)"), .timeLimit(.minutes(20)))
  func accessibility() async throws {
    let server = try await Self.server()
    let browser = try await Chromium()
    let axe = try Self.axe
    var found: [String] = []
    for hasSession in [false, true] {
      if hasSession { try await server.login(browser) }
      for (width, height, scheme) in [(1280, 800, "light"), (390, 844, "dark")] {
        try await browser.resize(width: width, height: height)
        try await browser.prefer(scheme: scheme)
        for page in CheckedPage.all where page.needsSession == hasSession {
          try await browser.visit("about:blank")
          try await browser.visit("http://127.0.0.1:\(server.port)\(page.path)")
          try await browser.wait(page.isReady)
          try await browser.run(axe)
          let violations: [String] = try await browser.value(Self.audit)
          found += violations.map { "\(page.path) (\(width) px, \(scheme)): \($0)" }
        }
      }
    }
    #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
  }

  @Test("a page sends requests only to its server", .timeLimit(.minutes(20)))
  func requests() async throws {
    let server = try await Self.server()
    // A proxy for all requests except those to the server. It records them and responds with an error.
    let proxy = try LocalServer { _, connection in connection.respond("502 Bad Gateway") }
    let browser = try await Chromium(
      arguments: [
        "--proxy-server=127.0.0.1:\(proxy.port)", "--proxy-bypass-list=127.0.0.1:\(server.port)",
        // Turns off requests of the browser to its vendor.
        "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
        "--disable-features=AutofillServerCommunication,NetworkTimeServiceQuerying,OptimizationHints",
      ])
    try await server.login(browser)
    for page in CheckedPage.all {
      try await browser.visit("http://127.0.0.1:\(server.port)\(page.path)")
      try await browser.wait(page.isReady)
    }
    // The browser sends requests to these two hosts for accounts and updates, independent of the page. No option turns them off.
    let outside = proxy.requests.map { "\($0.method) \($0.target)" }.filter { request in
      !["accounts.google.com", "update.googleapis.com"].contains(where: request.contains)
    }
    #expect(outside.isEmpty)
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }
}
