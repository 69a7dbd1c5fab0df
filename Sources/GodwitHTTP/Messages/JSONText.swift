package import Foundation
internal import GodwitModel

/// Small JSON objects, written member by member.
package struct JSONText {
  package private(set) var text = "{"

  package init() {}

  package mutating func add(_ name: String, raw: String) {
    if text.count > 1 { text += "," }
    text += name.jsonQuoted + ":" + raw
  }
  package mutating func add(_ name: String, _ value: String?) { add(name, raw: value?.jsonQuoted ?? "null") }
  package mutating func add(_ name: String, _ value: Date?) {
    add(name, raw: value.map { "\"\(RFC3339.string($0))\"" } ?? "null")
  }
  package mutating func add(_ name: String, _ value: Bool) { add(name, raw: value ? "true" : "false") }
  package mutating func add(_ name: String, _ value: Int) { add(name, raw: String(value)) }

  /// With its closing bracket.
  package var object: String { text + "}" }

  /// An object with these members.
  package static func object(_ body: (inout JSONText) -> Void) -> String {
    var text = JSONText()
    body(&text)
    return text.object
  }

  /// `{"name":[…]}`
  package static func list(_ name: String, _ objects: [String]) -> HTTPResponse {
    .json(Array("{\(name.jsonQuoted):[\(objects.joined(separator: ","))]}\n".utf8))
  }

  /// A page of a list: `{"<name>": […], "pageInfo": {"endCursor", "hasNextPage"}}`.
  package static func page(_ name: String, _ objects: [String], endCursor: Int64, isFull: Bool) -> HTTPResponse {
    let cursor = objects.isEmpty ? "null" : "\"\(endCursor)\""
    let list = "{\(name.jsonQuoted):[\(objects.joined(separator: ","))]"
    return .json(Array((list + ",\"pageInfo\":{\"endCursor\":\(cursor),\"hasNextPage\":\(isFull)}}\n").utf8))
  }

  package static func response(_ object: String, status: Int = 200) -> HTTPResponse {
    .json(Array((object + "\n").utf8), status: status)
  }
}

extension String {
  /// The text as a JSON string, quotation marks included.
  package var jsonQuoted: String {
    var quoted = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case "\u{0}"..<"\u{20}":
        let code = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - code.count) + code
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
