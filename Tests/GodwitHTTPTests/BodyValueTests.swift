import Foundation
import Testing

@testable import GodwitHTTP

@Suite("Values of bodies")
struct BodyValueTests {
  enum Days: WholeLimits {
    static let range = 1...10
  }

  struct Order: BodyObject {
    let from: BodyTime?
    let days: LimitedInteger<Days>?
    static let kind = "order"
  }

  @Test(
    "a time is RFC 3339, a day, or Unix seconds",
    arguments: [
      (#""2026-11-20T08:30:00Z""#, 1_795_163_400.0), (#""2026-11-20""#, 1_795_132_800), ("1795132800", 1_795_132_800),
      ("0.5", 0.5),
    ])
  func times(_ text: String, _ seconds: Double) throws {
    let order = try Order(json: Array(#"{"from":\#(text)}"#.utf8))
    #expect(order.from?.date == Date(timeIntervalSince1970: seconds))
  }

  @Test("a whole number is within its range", arguments: [("1", 1), ("10", 10), ("2.0", 2)])
  func numbers(_ text: String, _ number: Int) throws {
    #expect(try Order(json: Array(#"{"days":\#(text)}"#.utf8)).days?.value == number)
  }

  @Test("another number is rejected", arguments: ["0", "11", "1.5", "-1", "1e300"])
  func faults(_ text: String) throws {
    let problem = try #require(throws: Problem.self) { try Order(json: Array(#"{"days":\#(text)}"#.utf8)) }
    #expect(problem.status == 422 && problem.place == "days" && problem.detail == "days: a whole number, 1 to 10.")
  }

  @Test("a handler rejects a member with the same problem as the decoder of the body")
  func handler() throws {
    let body = try #require(throws: Problem.self) { try Order(json: Array(#"{"days":0}"#.utf8)) }
    let fault = Order.fault("days", "a whole number, 1 to 10.")
    #expect(fault.status == body.status && fault.detail == body.detail && fault.place == body.place)
  }

  @Test("the schema has the accepted forms and the range")
  func schema() throws {
    let properties = try SchemaComponents().schema(of: Order.self).members["properties"]?.members
    #expect(properties?["from"] == ["type": ["string", "number"], "description": "RFC 3339, a day, or Unix seconds."])
    #expect(properties?["days"] == ["type": "integer", "minimum": 1, "maximum": 10])
  }
}
