package import Foundation
internal import GodwitModel

/// Writes small JSON objects member by member.
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

  /// The object with its closing bracket.
  package var object: String { text + "}" }

  /// Returns an object with the members that a closure adds.
  package static func object(_ body: (inout JSONText) -> Void) -> String {
    var text = JSONText()
    body(&text)
    return text.object
  }

  /// Returns a number rounded to a number of decimals; `null` if it is not finite.
  package static func number(_ value: Double, _ decimals: Int) -> String {
    let scale = pow(10, Double(decimals))
    let rounded = (value * scale).rounded() / scale
    guard rounded.isFinite else { return "null" }
    guard decimals == 0, let whole = Int64(exactly: rounded) else { return String(rounded) }
    return String(whole)
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
