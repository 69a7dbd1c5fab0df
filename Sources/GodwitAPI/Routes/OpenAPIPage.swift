internal import Foundation
internal import GodwitHTTP

/// The OpenAPI document as an HTML page, without external resources.
enum OpenAPIPage {
  static let bytes: [UInt8] = Array(
    text(of: OpenAPIDocument().object).utf8)

  /// Returns the page.
  /// - Parameter document: the complete OpenAPI document.
  static func text(of document: [String: Any]) -> String {
    let paths = document["paths"] as? [String: [String: [String: Any]]] ?? [:]
    var rooms: [String: [(path: String, method: String, operation: [String: Any])]] = [:]
    for (path, methods) in paths {
      for (method, operation) in methods {
        rooms[(operation["tags"] as? [String])?.first ?? "", default: []].append((path, method, operation))
      }
    }
    var text = """
      <!doctype html>
      <html lang="en">
      <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
      <meta name="color-scheme" content="light dark"><title>API reference – Godwit</title><link rel="stylesheet" href="/base.css">
      <link rel="stylesheet" href="/account.css"><link rel="stylesheet" href="/api.css"><link rel="stylesheet" href="/shell.css">
      <link rel="icon" href="/icon.svg"></head>
      <body class="account reference" data-open data-layout="page">
      <!-- shell -->
      <main id="content" tabindex="-1" lang="en">
      <h1>API reference</h1>
      <p>For programs: <a href="/api/v1/openapi.json">/api/v1/openapi.json</a> (OpenAPI 3.1).</p>

      """
    for (room, operations) in rooms.sorted(by: { $0.key < $1.key }) {
      text += "<h2>\(escaped(room))</h2>\n"
      for entry in operations.sorted(by: { ($0.path, $0.method) < ($1.path, $1.method) }) {
        text += section(entry.path, entry.method, entry.operation)
      }
    }
    text += "<h2>Kinds of problems</h2>\n<dl>\n"
    for kind in ProblemKind.all {
      text += "<dt id=\"\(kind.name)\">\(kind.status) <code>\(kind.name)</code></dt><dd>\(escaped(kind.meaning))</dd>\n"
    }
    return text + "</dl>\n</main><script type=\"module\" src=\"/shell.js\"></script></body></html>\n"
  }

  private static func section(_ path: String, _ method: String, _ operation: [String: Any]) -> String {
    let id = operation["operationId"] as? String ?? ""
    var text = "<details id=\"op-\(escaped(id))\"><summary><code>\(method.uppercased()) \(escaped(path))</code> "
    text += "\(escaped(operation["summary"] as? String ?? ""))</summary>\n"
    text += "<p>Who: \(escaped(operation["x-access"] as? String ?? ""))</p>\n"
    if let more = operation["description"] as? String { text += "<p>\(escaped(more))</p>\n" }
    let parameters = (operation["parameters"] as? [[String: Any]] ?? []).map { parameter in
      if let name = parameter["name"] as? String {
        "<li><code>\(escaped(name))</code> \(escaped(parameter["description"] as? String ?? ""))</li>"
      } else {
        "<li><code>\(escaped(lastPart(parameter["$ref"])))</code></li>"
      }
    }
    if !parameters.isEmpty { text += "<ul>\(parameters.joined())</ul>\n" }
    let statuses = (operation["responses"] as? [String: Any] ?? [:]).keys.sorted()
    return text + "<p>Answers: \(statuses.joined(separator: ", "))</p></details>\n"
  }

  private static func lastPart(_ reference: Any?) -> String {
    (reference as? String)?.split(separator: "/").last.map(String.init) ?? ""
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }
}
