internal import Foundation
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitResources
internal import GodwitRoutes
internal import GodwitStore

/// The server's routes as one OpenAPI 3.1 document, made from the table of routes and the types of the handlers.
///
/// Fragments have what no route has: the head, security schemes, shared responses. What follows from the table is added here:
/// `security`, `x-access`, and the answers that every route of a kind can give.
struct OpenAPIDocument {
  /// The whole document.
  private(set) var object: [String: Any]
  /// Missing and contradictory parts, as sentences.
  private(set) var faults: [String] = []

  /// The fragments, by the names of their files in `API/OpenAPI`. The fragment with the document's head is the first.
  static let fragments: [(room: String, bytes: [UInt8])] = {
    let files = Resources.server.files(in: "GodwitAPI/OpenAPI")
    let names = ["base.json"] + files.keys.filter { $0 != "base.json" }.sorted()
    return names.map { (room: String($0.prefix { $0 != "." }), bytes: files[$0] ?? []) }
  }()

  /// The document that is served.
  static let bytes: [UInt8] = {
    let document = OpenAPIDocument(fragments: fragments, routes: Routes.table)
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
    // Decoded JSON can be encoded again.
    guard let data = try? JSONSerialization.data(withJSONObject: document.object, options: options) else { return [] }
    return Array(data) + [0x0A]
  }()

  /// Joins fragments, and completes them by the routes.
  /// - Parameters:
  ///   - fragments: JSON with `paths` and `components`; the first one with the head of the document.
  ///   - routes: the routes of the document.
  init(fragments: [(room: String, bytes: [UInt8])], routes: [Routes.Route]) {
    object = [:]
    var paths: [String: [String: [String: Any]]] = [:]
    var components: [String: [String: Any]] = [:]
    var found: [String] = []
    for (room, bytes) in fragments {
      guard let fragment = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] else {
        found.append("\(room).json is not a JSON object")
        continue
      }
      for (key, value) in fragment where key != "paths" && key != "components" { object[key] = value }
      for (path, methods) in fragment["paths"] as? [String: [String: [String: Any]]] ?? [:] {
        for (method, operation) in methods {
          if paths[path]?[method] != nil { found.append("\(room).json has \(method) \(path), and so has another fragment") }
          paths[path, default: [:]][method] = operation.merging(["tags": [room]]) { own, _ in own }
        }
      }
      for (kind, members) in fragment["components"] as? [String: [String: Any]] ?? [:] {
        for (name, value) in members {
          if components[kind]?[name] != nil { found.append("\(room).json has \(kind)/\(name), and so has another fragment") }
          components[kind, default: [:]][name] = value
        }
      }
    }
    var known: Set<String> = []
    let typed = SchemaComponents()
    for route in routes {
      let path = Self.template(of: route.path)
      for method in route.methods.map({ $0.lowercased() }) {
        known.insert("\(method) \(path)")
        if let document = route.document {
          if paths[path]?[method] != nil { found.append("\(method.uppercased()) \(path) has types, and is in a fragment") }
          do {
            paths[path, default: [:]][method] = try Self.operation(of: route, document, method, typed)
          } catch {
            found.append("\(method.uppercased()) \(path): \(error)")
          }
        }
        guard let operation = paths[path]?[method] else {
          found.append("\(method.uppercased()) \(path) is a route and in no fragment of API/OpenAPI")
          continue
        }
        paths[path]?[method] = Self.completed(operation, by: route, method)
      }
    }
    for (path, methods) in paths {
      for method in methods.keys where !known.contains("\(method) \(path)") {
        found.append("\(method.uppercased()) \(path) is in a fragment and no route")
      }
    }
    for (name, schema) in typed.schemas {
      if let known = components["schemas"]?[name] as? NSObject, !known.isEqual(schema.any) {
        found.append("schemas/\(name) is of a type, and another one is in a fragment")
      }
      components["schemas", default: [:]][name] = schema.any
    }
    found += typed.faults
    object["paths"] = paths
    object["components"] = components
    if var info = object["info"] as? [String: Any] {
      info["version"] = Version.current
      object["info"] = info
    }
    faults = found.sorted()
  }

  /// `/api/v1/devices/{name}` for `/api/v1/devices/NAME`.
  static func template(of path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).map { part in
      let isParameter = !part.isEmpty && part.allSatisfy { $0.isASCII && $0.isUppercase }
      return isParameter ? "{\(part.lowercased())}" : String(part)
    }.joined(separator: "/")
  }

  /// The operation of a route whose handler declares its types.
  private static func operation(
    of route: Routes.Route, _ document: RouteDocument, _ method: String, _ components: SchemaComponents
  ) throws -> [String: Any] {
    var operation = try document.operation(components, method).members
    operation["operationId"] = .string(document.id)
    operation["tags"] = [.string(route.tag)]
    operation["description"] = document.details.map { .string($0) }
    if let body = document.body { operation["requestBody"] = ["required": true, "content": body] }
    var problems = document.problems
    if let name = template(of: route.path).split(separator: "/").first(where: { $0.hasPrefix("{") })?.dropFirst().dropLast() {
      let parameter: JSONValue =
        document.parameter.map { text in
          [
            "name": .string(String(name)), "in": "path", "required": true, "description": .string(text),
            "schema": ["type": "string", "minLength": 1],
          ]
        } ?? ["$ref": .string("#/components/parameters/\(name)")]
      if case .array(let parameters)? = operation["parameters"] {
        operation["parameters"] = .array([parameter] + parameters)
      } else {
        operation["parameters"] = [parameter]
      }
      problems.append(404)
    }
    let problem: JSONValue = ["$ref": "#/components/responses/Problem"]
    let unauthorized: JSONValue = ["$ref": "#/components/responses/Unauthorized"]
    var more = Dictionary(problems.map { (String($0), $0 == 401 ? unauthorized : problem) }) { first, _ in first }
    for (status, text) in document.others { more[String(status)] = ["description": .string(text)] }
    operation["responses"] = operation["responses"]?.merging(.object(more)) ?? .object(more)
    return operation.mapValues(\.any)
  }

  /// An operation with the parts that follow from its route.
  private static func completed(_ operation: [String: Any], by route: Routes.Route, _ method: String) -> [String: Any] {
    var operation = operation
    if operation["summary"] == nil { operation["summary"] = route.summary }
    operation["x-access"] = "\(route.access)"
    operation["security"] = route.access.schemes.map { $0.isEmpty ? [:] : [$0: [String]()] }
    var responses = operation["responses"] as? [String: Any] ?? [:]
    var more: [Int: String] = [
      400: "Problem", 414: "Problem", 429: "TooManyRequests", 431: "Problem", 503: "Unavailable",
    ]
    if route.access != .open { more[401] = "Unauthorized" }
    if route.access.isOfPrincipals { more[403] = "Problem" }
    if method != "get" {
      more[408] = "Problem"
      more[413] = "Problem"
      if route.access == .named { more[415] = "Problem" }
    }
    for (status, name) in more where responses[String(status)] == nil {
      responses[String(status)] = ["$ref": "#/components/responses/\(name)"]
    }
    operation["responses"] = responses
    return operation
  }
}

extension RouteAccess {
  /// The names of the security schemes, any of which is enough; "": none is needed.
  var schemes: [String] {
    let device = ["deviceToken", "deviceTokenInAddress"]
    let principal = ["token", "tokenInAddress", "session"]
    return switch self {
    case .open, .logged: []
    case .device: device
    case .app: device + ["devicePassword"]
    case .named: device + ["devicePassword", ""]
    case .reader, .account, .accountChange, .owner, .ownerChange: principal
    case .deviceOrOwner: device + principal
    }
  }

  /// Whether a known requester can lack the right.
  fileprivate var isOfPrincipals: Bool {
    switch self {
    case .open, .logged, .device, .app, .named: false
    case .reader, .account, .accountChange, .owner, .ownerChange, .deviceOrOwner: true
    }
  }
}
