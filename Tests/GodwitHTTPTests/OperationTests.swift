import Foundation
import Testing

@testable import GodwitHTTP

@Suite("Operations")
struct OperationTests {
  enum Color: String, Codable, CaseIterable, DocumentedValue, ParameterValue, BodyValue { case red, blue }

  struct Box: ResultObject {
    var name: String
    @Rounded6 var latitude: Double
    @Rounded0 var duration: Double
    @Nullable var topSpeed: Rounded1?
    @Nullable var color: Color?
    var secret: String?
    var made: Date
    var labels: [String: Int]
    var parts: [Part]
    var nextCursor: NextCursor

    struct Part: ResultObject {
      var count: Int
      var isLast: Bool
      static let schemaName: String? = "Part"
      static let notes: [String: JSONValue] = ["count": ["minimum": 0]]
    }

    static let notes: [String: JSONValue] = ["name": "As it is called."]
  }

  @Test("a result has its members in order, rounded numbers, and null for a missing member that is nullable")
  func encoding() throws {
    let box = Box(
      name: "a \"b\"", latitude: 46.123_456_789, duration: 59.6, topSpeed: nil, color: .red, made: Date(timeIntervalSince1970: 0),
      labels: ["z": 1, "aB": 2], parts: [.init(count: 1, isLast: false), .init(count: 2, isLast: true)],
      nextCursor: NextCursor("7"))
    #expect(
      String(decoding: try ResultEncoder.bytes(box), as: UTF8.self)
        == #"{"name":"a \"b\"","latitude":46.123457,"duration":60,"top_speed":null,"color":"red","made":"1970-01-01T00:00:00Z","#
        + #""labels":{"aB":2,"z":1},"parts":[{"count":1,"is_last":false},{"count":2,"is_last":true}],"next_cursor":"7"}"# + "\n")
  }

  @Test("empty objects, arrays and dictionaries are encoded")
  func emptyEncoding() throws {
    struct Empty: Encodable {}
    #expect(try ResultEncoder.bytes(Empty()) == Array("{}\n".utf8))
    #expect(try ResultEncoder.bytes([Int]()) == Array("[]\n".utf8))
    #expect(try ResultEncoder.bytes([String: Int]()) == Array("{}\n".utf8))
  }

  @Test("the schema of a type has its members, the required ones, their notes, and references to named types")
  func schema() throws {
    let components = SchemaComponents()
    let schema = try components.schema(of: Box.self)
    let properties = schema.members["properties"]?.members ?? [:]
    #expect(properties["name"] == ["type": "string", "description": "As it is called."])
    #expect(properties["latitude"] == ["type": "number"])
    #expect(properties["duration"] == ["type": "integer"])
    #expect(properties["top_speed"] == ["type": ["number", "null"]])
    #expect(properties["color"] == ["type": ["string", "null"], "enum": ["red", "blue", nil]])
    #expect(properties["made"] == ["type": "string", "format": "date-time"])
    #expect(properties["labels"] == ["type": "object", "additionalProperties": ["type": "integer"]])
    #expect(properties["parts"] == ["type": "array", "items": ["$ref": "#/components/schemas/Part"]])
    let required: JSONValue = [
      "name", "latitude", "duration", "top_speed", "color", "made", "labels", "parts", "next_cursor",
    ]
    #expect(schema.members["required"] == required)
    #expect(components.schemas["Part"]?.members["properties"]?.members["count"] == ["type": "integer", "minimum": 0])
    #expect(components.faults == [])
  }

  @Test("a note for a missing member and two types with the same schema name are faults")
  func faults() throws {
    struct One: ResultObject {
      var a: Int
      static let schemaName: String? = "Same"
      static let notes: [String: JSONValue] = ["b": "Nothing."]
    }
    struct Two: ResultObject {
      var c: Int
      static let schemaName: String? = "Same"
    }
    let components = SchemaComponents()
    _ = try components.schema(of: One.self)
    _ = try components.schema(of: Two.self)
    #expect(components.faults == ["One has no member b", "two types have the schema Same"])
  }

  // MARK: Requests

  struct Filter: ParameterList {
    let device: DeviceName?
    let times: TimeRange
    let color: Color?
    let marked: Bool
    let limit: PageLimit<StandardPages>
    let cursor: PageCursor<RowCursor>?
    static let notes: [String: JSONValue] = [
      "color": "Its color.", "marked": ["description": "With marked ones.", "default": false],
    ]
  }

  struct NewBox: BodyObject {
    let name: String
    let color: Color?
    let latitude: Latitude
    let labels: [String]?
    static let kind = "box"
  }

  struct Echo: ResultObject {
    var text: String
  }

  /// The response of an operation that returns the parameters and the body that it read.
  private static func respond(_ method: String, _ query: [String: String], _ body: String = "") throws -> String {
    let reading = Operation<Filter, NoBody, Echo> { request in
      let all = request.parameters
      return Echo(
        text:
          "\(all.device?.name ?? "-") \(all.color?.rawValue ?? "-") \(all.marked) \(all.limit.count) \(all.cursor?.place.row ?? 0)"
      )
    }
    let creating = Operation<NoParameters, NewBox, Created<Echo>> { request in
      let box = request.body
      await Task.yield()
      return Created(Echo(text: "\(box.name) \(box.color?.rawValue ?? "-") \(box.latitude.value) \(box.labels ?? [])"))
    }
    let accept: @Sendable (HTTPRequest) throws(Problem) -> Void = { _ in }
    let routes = [
      Route(methods: ["GET"], path: "/", accept: accept, respond: { try reading.respond(to: $0) }),
      Route(methods: ["POST"], path: "/", accept: accept, respond: { try creating.respond(to: $0) }),
    ]
    let router = Router(routes, files: Router.Files(exist: { _ in false }, respond: { _ in .text("") }))
    let server = HTTPServer(
      configuration: HTTPServer.Configuration(address: try #require(ListenAddress("127.0.0.1:0"))),
      handler: router.handler { response, _ in response })
    let response = server.respond(LocalRequest(method: method, path: "/", query: query, body: Array(body.utf8)))
    let object = (try? JSONSerialization.jsonObject(with: Data(response.body))) as? [String: Any] ?? [:]
    return "\(response.status) \(object["text"] ?? object["detail"] ?? "")"
  }

  @Test(
    "parameters are decoded by their types, and an error names the parameter",
    arguments: [
      ([:], "200 - - false 100 0"),
      (["device": "phone", "color": "blue", "marked": "true", "limit": "7", "cursor": "12"], "200 phone blue true 7 12"),
      (["color": "green"], "400 color=green: expected one of red, blue."),
      (["limit": "0"], "400 limit=0: expected a whole number, 1 to 1000."),
      (["cursor": "x"], #"400 cursor=x: expected the "next_cursor" of an earlier response."#),
      (["devcie": "phone"], "400 devcie: unknown. Expected color, cursor, device, from, limit, marked, to."),
      (["from": "soon"], "400 from=soon: expected a time such as 2026-11-20T08:30:00Z, or a day such as 2026-11-20."),
    ])
  func parameters(_ query: [String: String], _ expected: String) throws {
    #expect(try Self.respond("GET", query) == expected)
  }

  @Test(
    "a body is decoded by its type; an error names the missing, invalid or unknown member",
    arguments: [
      (#"{"name":"a","latitude":1.5,"color":"red","labels":["x"]}"#, #"201 a red 1.5 ["x"]"#),
      (#"{"name":"a","latitude":1,"color":null}"#, "201 a - 1.0 []"), ("[]", "400 Expected a JSON object."),
      (#"{"latitude":1}"#, "422 name: missing."), (#"{"name":1}"#, "422 name: expected a string."),
      (#"{"name":"a","latitude":91}"#, "422 latitude: expected the latitude and longitude of a place, in degrees."),
      (#"{"name":"a","latitude":1,"color":"green"}"#, "422 color: expected red, blue."),
      (#"{"name":"a","latitude":1,"size":3}"#, "422 size: unknown field."),
    ])
  func bodies(_ body: String, _ expected: String) throws {
    #expect(try Self.respond("POST", [:], body) == expected)
  }

  @Test("an operation without parameters rejects all arguments except the token")
  func withoutParameters() throws {
    let body = #"{"name":"a","latitude":1}"#
    #expect(try Self.respond("POST", ["token": "x"], body) == "201 a - 1.0 []")
    #expect(try Self.respond("POST", ["dry_run": "true"], body) == "400 dry_run: unknown. No argument is expected.")
  }

  @Test("the document of an operation has parameters with bounds and defaults, the body, and the statuses")
  func document() throws {
    let components = SchemaComponents()
    let reading = try Operation<Filter, NoBody, Echo>.document(in: components, method: "get", success: "Boxes.").members
    guard case .array(let parameters)? = reading["parameters"] else { throw Problem(500, "", "no parameters") }
    #expect(
      parameters.map { $0.members["name"] ?? $0.members["$ref"] } == [
        "device", "from", "to", "color", "marked", "limit", "cursor", "#/components/parameters/ifNoneMatch",
      ])
    #expect(parameters[5].members["schema"] == ["type": "integer", "minimum": 1, "maximum": 1000, "default": 100])
    #expect(parameters[4].members["schema"] == ["type": "boolean", "default": false])
    #expect(reading["responses"]?.members.keys.sorted() == ["200", "304", "404"])
    let creating = try Operation<NoParameters, NewBox, Created<Echo>>.document(in: components, method: "post", success: "")
      .members
    #expect(creating["responses"]?.members.keys.sorted() == ["201", "422"])
    let body = creating["requestBody"]?.members["content"]?.members["application/json"]?.members["schema"]?.members
    #expect(body?["required"] == ["name", "latitude"] && body?["additionalProperties"] == false)
    #expect(components.faults == [])
  }
}
