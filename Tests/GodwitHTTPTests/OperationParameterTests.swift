import Foundation
import Testing

@testable import GodwitHTTP

@Suite("Parameters in headers, bounded numbers, closed lists, and the statuses of changes")
struct OperationParameterTests {
  enum Radii: NumberParameterLimits {
    static let range = Double.leastNormalMagnitude...100
    static let expected = "metres, more than 0, at most 100"
    static let isPositive = true
  }
  enum Details: NumberParameterLimits {
    static let range = 0.0...9
    static let expected = "metres, 0 to 9"
    static let standard: Double? = 2
  }

  struct Change: ParameterList {
    let radius: NumberParameter<Radii>
    let detail: NumberParameter<Details>
    let ifMatch: IfMatch?
    static let notes: [String: JSONValue] = ["radius": "Metres.", "detail": "Metres."]
  }

  struct State: ResultObject {
    var text: String
    static let schemaName: String? = "State"
  }

  enum Picture: RawBodyContent {
    static func content(in components: SchemaComponents) -> JSONValue { ["image/png": ["schema": ["type": "string"]]] }
    static let isRequired = false
  }

  /// The response of an operation that replaces the state "old" by its parameters.
  private static func respond(_ query: [String: String], _ headers: [String: String] = [:]) throws -> LocalResponse {
    let operation = Operation<Change, RawBody<Picture>, CreatedOrReplaced<Tagged<State>>> { request in
      try request.parameters.ifMatch?.check(State(text: "old"))
      let state = State(text: "\(request.parameters.radius.value) \(request.parameters.detail.value) \(request.body.bytes.count)")
      return CreatedOrReplaced(Tagged(state), isNew: request.parameters.detail.value > 5)
    }
    let accept: @Sendable (HTTPRequest) throws(Problem) -> Void = { _ in }
    let route = Route(methods: ["PUT"], path: "/", accept: accept, respond: { try operation.respond(to: $0) })
    let router = Router([route], files: Router.Files(exist: { _ in false }, respond: { _ in .text("") }))
    let server = HTTPServer(
      configuration: HTTPServer.Configuration(address: try #require(ListenAddress("127.0.0.1:0"))),
      handler: router.handler { response, _ in response })
    return server.respond(LocalRequest(method: "PUT", path: "/", query: query, headers: headers, body: [1, 2, 3]))
  }

  @Test(
    "a number has bounds and a default; unknown parameters except the token are rejected",
    arguments: [
      (["radius": "7"], 200, "7.0 2.0 3"), (["radius": "7", "detail": "6", "token": "x"], 201, "7.0 6.0 3"),
      ([:], 400, "radius is missing: expected metres, more than 0, at most 100."),
      (["radius": "0"], 400, "radius=0: expected metres, more than 0, at most 100."),
      (["radius": "nan"], 400, "radius=nan: expected metres, more than 0, at most 100."),
      (["radius": "7", "detail": ""], 400, "detail=: expected metres, 0 to 9."),
      (["radius": "7", "if_match": "x"], 400, "if_match: unknown. Expected detail, radius."),
    ])
  func numbers(_ query: [String: String], _ status: Int, _ text: String) throws {
    let response = try Self.respond(query)
    let object = (try? JSONSerialization.jsonObject(with: Data(response.body))) as? [String: Any] ?? [:]
    #expect(response.status == status && (object["text"] ?? object["detail"]) as? String == text, "\(response.status) \(object)")
  }

  @Test("If-Match is compared with the tag of the previous state; the response has the tag of the new state")
  func conditions() throws {
    let tagged = try Tagged(State(text: "old")).response()
    let old = try #require(tagged.headers.first { $0.name == "ETag" }?.value)
    for match in [old, "*", "\"x\", \(old)"] {
      let response = try Self.respond(["radius": "1"], ["If-Match": match])
      #expect(response.status == 200)
      #expect(response.headers["etag"] == EntityTag.of(response.body))
    }
    #expect(try Self.respond(["radius": "1"], ["If-Match": "\"x\""]).status == 412)
  }

  @Test("the document has the location of each parameter, bounds, and both statuses with the same content")
  func document() throws {
    let components = SchemaComponents()
    let operation = try Operation<Change, RawBody<Picture>, CreatedOrReplaced<Tagged<State>>>
      .document(in: components, method: "put", success: "It was replaced.").members
    guard case .array(let parameters)? = operation["parameters"] else { throw Problem(500, "", "no parameters") }
    #expect(parameters.map { $0.members["name"] } == ["radius", "detail", "If-Match"])
    #expect(parameters.map { $0.members["in"] } == ["query", "query", "header"])
    #expect(parameters.map { $0.members["required"] } == [true, nil, nil])
    #expect(parameters[0].members["schema"] == ["type": "number", "exclusiveMinimum": 0, "maximum": 100])
    #expect(parameters[1].members["schema"] == ["type": "number", "minimum": 0, "maximum": 9, "default": 2])
    #expect(operation["requestBody"]?.members["required"] == false)
    let responses = operation["responses"]?.members ?? [:]
    #expect(responses.keys.sorted() == ["200", "201", "412", "422"])
    #expect(responses["200"]?.members["content"] == responses["201"]?.members["content"])
    #expect(responses["201"]?.members["headers"]?.members["ETag"] == ["$ref": "#/components/headers/ETag"])
    #expect(components.faults == [])
  }
}
