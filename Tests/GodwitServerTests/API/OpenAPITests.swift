import Foundation
import GodwitIntake
import GodwitModel
import TestClient
import Testing

@testable import GodwitAPI
@testable import GodwitHTTP
@testable import GodwitServer

@Suite("The OpenAPI document")
struct OpenAPITests {
  // Safe to share: the JSON is created once and never changes.
  private nonisolated(unsafe) static let document = OpenAPIDocument()

  /// A path with a method, as in the OpenAPI document.
  struct Operation: Sendable, CustomTestStringConvertible {
    var path: String
    var method: String
    var testDescription: String { "\(method.uppercased()) \(path)" }
    fileprivate var members: [String: Any] {
      let paths = document.object["paths"] as? [String: [String: [String: Any]]] ?? [:]
      return paths[path]?[method] ?? [:]
    }
    var route: Routes.Route? {
      Routes.table.first { OpenAPIDocument.template(of: $0.path) == path && $0.methods.contains(method.uppercased()) }
    }
  }

  static let operations: [Operation] = Routes.table.flatMap { route in
    route.methods.map { Operation(path: OpenAPIDocument.template(of: route.path), method: $0.lowercased()) }
  }

  @Test("the document contains every route and has no inconsistencies")
  func complete() {
    #expect(Self.document.faults == [], "\(Self.document.faults.joined(separator: "\n"))")
    #expect(Self.operations.count > 100)
    for operation in Self.operations { #expect(!operation.members.isEmpty, "\(operation.testDescription) is missing") }
  }

  @Test("inconsistencies are reported: two routes with one path, a duplicate schema, a base that is not an object")
  func faults() throws {
    let route = try #require(Routes.table.first { $0.path == "/api/v1/visits" })
    #expect(OpenAPIDocument(routes: [route, route]).faults == ["GET /api/v1/visits is the path of two routes"])
    #expect(OpenAPIDocument(base: Array("[]".utf8), routes: []).faults == ["base.json is not a JSON object"])
    let head = Array(#"{"components":{"schemas":{"Visit":{}}}}"#.utf8)
    #expect(OpenAPIDocument(base: head, routes: [route]).faults == ["schemas/Visit is in base.json, and a type has this name"])
  }

  @Test("every operation has a summary and its access", arguments: operations)
  func described(_ operation: Operation) throws {
    let members = operation.members
    let route = try #require(operation.route)
    #expect((members["operationId"] as? String)?.isEmpty == false, "operationId is missing")
    #expect((members["summary"] as? String)?.isEmpty == false, "summary is missing")
    #expect(members["x-access"] as? String == "\(route.access)")
    let security = members["security"] as? [[String: Any]] ?? []
    #expect(security.map { $0.keys.first ?? "" } == route.access.schemes)
    let schemes = (Self.document.object["components"] as? [String: [String: Any]])?["securitySchemes"] ?? [:]
    for name in route.access.schemes where !name.isEmpty { #expect(schemes[name] != nil, "\(name) is not a security scheme") }
  }

  @Test("every parameter of a path is declared, and no other", arguments: operations)
  func parameters(_ operation: Operation) {
    let parameters = (operation.members["parameters"] as? [[String: Any]] ?? []).compactMap { parameter in
      (parameter["$ref"] as? String).map { Self.resolved($0) as? [String: Any] ?? [:] } ?? parameter
    }
    let inPath = parameters.filter { $0["in"] as? String == "path" }
    let wanted = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
    #expect(inPath.compactMap { $0["name"] as? String }.sorted() == wanted.map(String.init).sorted())
    for parameter in inPath { #expect(parameter["required"] as? Bool == true) }
    for parameter in parameters {
      #expect((parameter["description"] as? String)?.isEmpty == false, "\(parameter) has no description")
      #expect(parameter["schema"] != nil)
    }
    let places = parameters.map { "\($0["in"] ?? "") \($0["name"] ?? "")" }
    #expect(Set(places).count == places.count, "declared twice")
  }

  @Test("the document lists the possible responses of each operation", arguments: operations)
  func documentedResponses(_ operation: Operation) throws {
    let route = try #require(operation.route)
    let responses = operation.members["responses"] as? [String: [String: Any]] ?? [:]
    let statuses = Set(responses.keys.compactMap { Int($0) })
    #expect(statuses.contains { (200..<300).contains($0) }, "no success")
    var wanted: Set<Int> = [429]
    if route.access != .open { wanted.insert(401) }
    let isOfPrincipals = route.access.schemes.contains("token")
    if isOfPrincipals { wanted.insert(403) }
    if operation.method != "get" { wanted.insert(413) }
    if operation.members["requestBody"] != nil { wanted.insert(400) }
    // A named object may not exist.
    if route.path.contains("NAME"), !route.path.hasPrefix("/api/v1/groups") { wanted.insert(404) }
    if route.path.contains("/ID"), isOfPrincipals { wanted.insert(404) }
    #expect(wanted.subtracting(statuses) == [], "responses that the document lacks")
    for (status, response) in responses where Int(status) ?? 0 >= 400 {
      let whole = (response["$ref"] as? String).map { Self.resolved($0) as? [String: Any] ?? [:] } ?? response
      let content = whole["content"] as? [String: Any] ?? [:]
      #expect(content["application/problem+json"] != nil, "\(status) has no problem details")
    }
  }

  @Test("operation ids are unique")
  func names() {
    let names = Self.operations.compactMap { $0.members["operationId"] as? String }
    #expect(Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys.sorted() == [])
  }

  @Test("every reference resolves, and every component is used")
  func references() {
    var found: Set<String> = []
    Self.collect(Self.document.object, into: &found)
    for reference in found { #expect(Self.resolved(reference) != nil, "\(reference) does not resolve") }
    #expect(found.count > 30)
    for kind in ["schemas", "parameters", "responses", "headers"] {
      let members = (Self.document.object["components"] as? [String: [String: Any]])?[kind] ?? [:]
      for name in members.keys { #expect(found.contains("#/components/\(kind)/\(name)"), "\(kind)/\(name) is unused") }
    }
  }

  @Test("the document is public, and its page lists every operation and every problem kind")
  func served() async throws {
    try await AccountServer.with { server in
      let response = server.send("GET", "/api/v1/openapi.json")
      #expect(response.status == 200 && response.headers["content-type"] == "application/json")
      #expect(response.object["openapi"] as? String == "3.1.0")
      #expect((response.object["info"] as? [String: Any])?["version"] as? String == Version.current)
      let page = server.send("GET", "/api")
      #expect(page.status == 200 && page.headers["content-type"]?.hasPrefix("text/html") == true)
      // The only script is that of the navigation bar.
      #expect(page.text.components(separatedBy: "<script").count == 2 && page.text.contains(#"src="/shell.js""#))
      for operation in Self.operations { #expect(page.text.contains("<code>\(operation.testDescription)</code>")) }
      for kind in ProblemKind.all { #expect(page.text.contains("id=\"\(kind.name)\"")) }
    }
  }

  /// The value that a reference such as `#/components/schemas/Problem` points to; `nil` if there is none.
  private static func resolved(_ reference: String) -> Any? {
    guard reference.hasPrefix("#/") else { return nil }
    return reference.dropFirst(2).split(separator: "/").reduce(document.object as Any?) { place, part in
      (place as? [String: Any])?[String(part)]
    }
  }

  private static func collect(_ value: Any, into found: inout Set<String>) {
    if let object = value as? [String: Any] {
      if let reference = object["$ref"] as? String { found.insert(reference) }
      for member in object.values { collect(member, into: &found) }
    } else if let list = value as? [Any] {
      for member in list { collect(member, into: &found) }
    }
  }
}
