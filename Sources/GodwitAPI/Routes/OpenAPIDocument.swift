internal import Foundation
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitResources
internal import GodwitRoutes
internal import GodwitStore

/// The server's routes as one OpenAPI 3.1 document, made from the table of routes and the types of the handlers.
///
/// `base.json` contains the parts that belong to no route: the head, security schemes and shared responses. This type adds
/// the parts that follow from the table: `security`, `x-access`, and the responses that all routes of a kind have.
struct OpenAPIDocument {
  /// The whole document.
  private(set) var object: [String: Any]
  /// The missing and contradictory parts of the document, as sentences.
  private(set) var faults: [String] = []

  /// The document's head and shared components, as JSON.
  static let base: [UInt8] = Resources.server.files(in: "GodwitAPI/OpenAPI")["base.json"] ?? []

  /// The document that is served.
  static let bytes: [UInt8] = {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
    // Encoding cannot fail, because the object was decoded from JSON.
    guard let data = try? JSONSerialization.data(withJSONObject: OpenAPIDocument().object, options: options) else { return [] }
    return Array(data) + [0x0A]
  }()

  /// Adds routes to the head of the document.
  /// - Parameters:
  ///   - base: a JSON object with the head and `components`.
  ///   - routes: the routes of the document.
  init(base: [UInt8] = Self.base, routes: [Routes.Route] = Routes.table) {
    object = (try? JSONSerialization.jsonObject(with: Data(base))) as? [String: Any] ?? [:]
    if object.isEmpty { faults.append("base.json is not a JSON object") }
    var paths: [String: [String: [String: Any]]] = [:]
    let typed = SchemaComponents()
    for route in routes {
      let path = Self.template(of: route.path)
      for method in route.methods.map({ $0.lowercased() }) {
        if paths[path]?[method] != nil { faults.append("\(method.uppercased()) \(path) is the path of two routes") }
        do {
          let operation = try Self.operation(of: route, route.document, method, typed)
          paths[path, default: [:]][method] = Self.completed(operation, by: route, method)
        } catch {
          faults.append("\(method.uppercased()) \(path): \(error)")
        }
      }
    }
    var components = object["components"] as? [String: [String: Any]] ?? [:]
    for (name, schema) in typed.schemas {
      if components["schemas"]?[name] != nil { faults.append("schemas/\(name) is in base.json, and a type has this name") }
      components["schemas", default: [:]][name] = schema.any
    }
    object["paths"] = paths
    object["components"] = components
    if var info = object["info"] as? [String: Any] {
      info["version"] = Version.current
      object["info"] = info
    }
    faults = (faults + typed.faults).sorted()
  }

  /// Returns the path template of a route, such as `/api/v1/devices/{name}` for `/api/v1/devices/NAME`.
  static func template(of path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).map { part in
      let isParameter = !part.isEmpty && part.allSatisfy { $0.isASCII && $0.isUppercase }
      return isParameter ? "{\(part.lowercased())}" : String(part)
    }.joined(separator: "/")
  }

  /// Returns the operation of a route whose handler declares its types.
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

  /// Returns an operation with the parts that follow from its route.
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
  /// The names of the security schemes, one of which a request needs. An empty name means that a request may have none.
  var schemes: [String] {
    let device = ["deviceToken", "deviceTokenInAddress"]
    let principal = ["token", "tokenInAddress", "session"]
    return switch self {
    case .open, .logged: []
    case .device: device
    case .app: device + ["devicePassword"]
    case .named: device + ["devicePassword", ""]
    case .read, .account, .accountChange, .administrator, .administratorChange: principal
    case .deviceOrAdministrator: device + principal
    }
  }

  /// Whether an authenticated request can be rejected for a missing right.
  fileprivate var isOfPrincipals: Bool {
    switch self {
    case .open, .logged, .device, .app, .named: false
    case .read, .account, .accountChange, .administrator, .administratorChange, .deviceOrAdministrator: true
    }
  }
}
