import Foundation
import Testing

@testable import GodwitAPI
@testable import GodwitServer

/// The table of `Documentation/HTTP.md` is generated from the routes:
/// `GODWIT_WRITE_DOCUMENTS=1 scripts/test --filter RouteDocumentTests` writes it.
@Suite("The table of routes in HTTP.md")
struct RouteDocumentTests {
  private static let begin = "<!-- routes: written by RouteDocumentTests -->\n"
  private static let end = "<!-- /routes -->\n"

  private static func name(of access: Routes.Route.Access) -> String {
    switch access {
    case .open: "anyone"
    case .device: "a device"
    case .app, .named, .logged: "an app"
    case .read: "readers"
    case .account, .accountChange: "accounts"
    case .administrator, .administratorChange: "an administrator"
    case .deviceOrAdministrator: "a device, an administrator"
    }
  }

  /// The Markdown table: routes without a version, then versioned routes, then pages.
  private static var table: String {
    let pages = Routes.table.filter { !$0.path.dropFirst().contains("/") && $0.summary.hasPrefix("Page") }
    let paths = Set(pages.map(\.path))
    let others = Routes.table.filter { !paths.contains($0.path) }
    let isVersioned = { (path: String) in path.hasPrefix("/api/v1/") }
    func sorted(_ routes: [Routes.Route]) -> [Routes.Route] { routes.sorted { $0.path < $1.path } }
    let rows =
      sorted(others.filter { !isVersioned($0.path) }) + sorted(others.filter { isVersioned($0.path) }) + sorted(pages)
    let lines = rows.map { route in
      "| `\(route.path)` | \(route.methods.joined(separator: ", ")) | \(name(of: route.access)) | \(route.summary) |\n"
    }
    return "| path | methods | access | what |\n|---|---|---|---|\n" + lines.joined()
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Documentation")

  @Test("has every route with its access and its summary")
  func document() throws {
    let file = Self.folder.appendingPathComponent("HTTP.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let begin = try #require(text.range(of: Self.begin))
    let end = try #require(text.range(of: Self.end))
    let written = String(text[begin.upperBound..<end.lowerBound])
    if ProcessInfo.processInfo.environment["GODWIT_WRITE_DOCUMENTS"] == "1" {
      let whole = text[..<begin.upperBound] + Self.table + text[end.lowerBound...]
      try String(whole).write(to: file, atomically: true, encoding: .utf8)
    } else {
      #expect(written == Self.table, "GODWIT_WRITE_DOCUMENTS=1 scripts/test --filter RouteDocumentTests writes the table")
    }
  }

  @Test(
    "a proxy that signs in its users, as Operations.md configures it, passes on the uploads of devices",
    arguments: Set(Routes.table.filter { [.device, .app, .named, .logged].contains($0.access) }.map(\.path)).sorted())
  func proxy(_ path: String) throws {
    let page = try String(contentsOf: Self.folder.appendingPathComponent("Operations.md"), encoding: .utf8)
    let pattern = try #require(page.firstMatch(of: #/location ~ (\^\S+) \{/#)?.1)
    #expect(
      try Regex(String(pattern)).firstMatch(in: path) != nil,
      "add \(path) to the pattern \"location ~\" of Documentation/Operations.md")
  }
}
