import Foundation
import GodwitModel
import Testing

@testable import GodwitHTTP

@Suite("Query parameters")
struct QueryParametersTests {
  /// The text that `body` returns for the query parameters of a request, or the status, place and detail of the problem that it throws.
  private static func read(
    _ arguments: [String: String], _ body: @escaping @Sendable (QueryParameters) throws(Problem) -> String
  ) throws -> String {
    let route = Route(
      methods: ["GET"], path: "/", accept: { _ throws(Problem) in },
      respond: { request in
        do throws(Problem) { return .now(.text(try body(request.query))) } catch {
          return .now(.text("\(error.status) at \(error.place ?? "-"): \(error.detail)"))
        }
      })
    let router = Router([route], files: Router.Files(exist: { _ in false }, respond: { _ in .text("") }))
    let server = HTTPServer(
      configuration: HTTPServer.Configuration(address: try #require(ListenAddress("127.0.0.1:0"))),
      handler: router.handler { response, _ in response })
    return String(decoding: server.respond(LocalRequest(method: "GET", path: "/", query: arguments)).body, as: UTF8.self)
  }

  @Test(
    "a flag is true, false or absent",
    arguments: [
      (nil, "false"), ("true", "true"), ("false", "false"), ("", "400 at dry: dry=: expected true or false."),
      ("1", "400 at dry: dry=1: expected true or false."),
    ])
  func flag(_ value: String?, _ expected: String) throws {
    let arguments = value.map { ["dry": $0] } ?? [:]
    #expect(try Self.read(arguments) { query throws(Problem) in "\(try query.flag("dry"))" } == expected)
  }

  @Test(
    "the size of a page is the requested one, up to a maximum",
    arguments: [
      (nil, "20"), ("1", "1"), ("50", "50"), ("51", "400 at first: first=51: expected a whole number, 1 to 50."),
      ("0", "400 at first: first=0: expected a whole number, 1 to 50."),
      ("", "400 at first: first=: expected a whole number, 1 to 50."),
      ("99999999999999999999", "400 at first: first=99999999999999999999: expected a whole number, 1 to 50."),
    ])
  func limit(_ value: String?, _ expected: String) throws {
    let arguments = value.map { ["first": $0] } ?? [:]
    #expect(
      try Self.read(arguments) { query throws(Problem) in "\(try query.limit("first", standard: 20, largest: 50))" } == expected)
  }

  @Test(
    "a time may be a day, and its plus sign may be decoded as a space",
    arguments: [
      ("2026-11-20T08:30:00Z", "2026-11-20T08:30:00Z"), ("2026-11-20", "2026-11-20T00:00:00Z"),
      ("2026-11-20T08:30:00 01:00", "2026-11-20T07:30:00Z"), ("", "none"),
      (
        "yesterday",
        "400 at from: from=yesterday: expected a time such as 2026-11-20T08:30:00Z, or a day such as 2026-11-20."
      ),
    ])
  func date(_ value: String, _ expected: String) throws {
    let found = try Self.read(["from": value]) { query throws(Problem) in
      try query.date("from").map { RFC3339.string($0) } ?? "none"
    }
    #expect(found == expected)
  }

  @Test("a time range ends after its start")
  func times() throws {
    let read: @Sendable (QueryParameters) throws(Problem) -> String = { query throws(Problem) in
      "\(try query.times(in: 0..<2_000_000_000_000))"
    }
    #expect(try Self.read([:], read) == "0..<2000000000000")
    #expect(try Self.read(["from": "2001-09-09T01:46:40Z"], read) == "1000000000000..<2000000000000")
    #expect(
      try Self.read(["from": "2026-11-20", "to": "2026-11-20"], read) == "400 at to: to: expected a time after from.")
  }

  @Test(
    "a bounding box has four edges in degrees",
    arguments: [
      ("9,48,11,49", "9.0 48.0 11.0 49.0"), ("170,-10,-170,10", "170.0 -10.0 -170.0 10.0"), ("", "none"),
      ("9,48,11", "400 at bbox: bbox=9,48,11: expected west,south,east,north in degrees, south ≤ north."),
      ("9,49,11,48", "400 at bbox: bbox=9,49,11,48: expected west,south,east,north in degrees, south ≤ north."),
      ("9,48,181,49", "400 at bbox: bbox=9,48,181,49: expected west,south,east,north in degrees, south ≤ north."),
    ])
  func box(_ value: String, _ expected: String) throws {
    let found = try Self.read(["bbox": value]) { query throws(Problem) in
      try query.edges().map { "\($0.west) \($0.south) \($0.east) \($0.north)" } ?? "none"
    }
    #expect(found == expected)
  }

  private enum Word: String, CaseIterable { case open, closed }

  @Test("an invalid choice or cursor is reported with the expected form, and a list is split at commas")
  func words() throws {
    func choice(_ text: String) throws -> String {
      try Self.read(["state": text]) { query throws(Problem) in
        try query.choice("state", of: Word.self)?.rawValue ?? "none"
      }
    }
    #expect(try choice("open") == "open")
    #expect(try choice("") == "none")
    #expect(try choice("shut") == "400 at state: state=shut: expected one of open, closed.")
    func cursor(_ text: String) throws -> String {
      try Self.read(["cursor": text]) { query throws(Problem) in "\(try query.rowCursor() ?? -1)" }
    }
    #expect(try cursor("17") == "17")
    #expect(try cursor("") == "-1")
    #expect(try cursor("x") == #"400 at cursor: cursor=x: expected the "next_cursor" of an earlier response."#)
    #expect(
      try Self.read(["tags": " a, ,b"]) { query throws(Problem) in query.words("tags").joined(separator: "|") } == "a|b")
  }
}
