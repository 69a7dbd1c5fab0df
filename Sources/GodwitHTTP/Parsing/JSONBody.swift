package import Foundation
internal import GodwitModel

/// The members of a small JSON object in a request. Each member is read once. An unknown member is an error, because it
/// would have no effect.
package struct JSONBody {
  private var members: [String: Any]
  private let what: String

  /// Maximum bytes of such a body.
  package static let limit = 64 << 10

  /// - Parameters:
  ///   - body: the received bytes.
  ///   - what: the name of the object for errors, such as "user".
  /// - Throws: ``Problem`` if the body is too large or is not a JSON object.
  package init(_ body: [UInt8], _ what: String) throws(Problem) {
    self.what = what
    guard body.count <= Self.limit else {
      throw Problem(413, "Body too large", "A \(what) may have at most \(Self.limit) bytes.", at: "byte \(Self.limit)")
    }
    guard let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] else {
      throw Problem(400, "Not a \(what)", "Expected a JSON object.", at: "byte 0")
    }
    members = object.filter { !($0.value is NSNull) }
  }

  package mutating func text(_ name: String) throws(Problem) -> String? {
    guard let value = members.removeValue(forKey: name) else { return nil }
    guard let text = value as? String else { throw fault(name, "expected a string.") }
    guard text.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 }) else {
      throw fault(name, "it contains a control character.")
    }
    return text
  }

  package mutating func needed(_ name: String) throws(Problem) -> String {
    guard let text = try text(name) else { throw fault(name, "missing.") }
    return text
  }

  package mutating func number(_ name: String) throws(Problem) -> Double? {
    guard let value = members.removeValue(forKey: name) else { return nil }
    guard let number = value as? NSNumber, !Self.isFlag(number) else { throw fault(name, "expected a number.") }
    return number.doubleValue
  }

  package mutating func flag(_ name: String) throws(Problem) -> Bool? {
    guard let value = members.removeValue(forKey: name) else { return nil }
    guard let number = value as? NSNumber, Self.isFlag(number) else { throw fault(name, "expected true or false.") }
    return number.boolValue
  }

  /// Whether the value was `true` or `false`. A cast to `Bool` would also accept 1 and 0.
  private static func isFlag(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }

  package mutating func texts(_ name: String) throws(Problem) -> [String]? {
    guard let value = members.removeValue(forKey: name) else { return nil }
    guard let texts = value as? [String] else { throw fault(name, "expected an array of strings.") }
    return texts
  }

  package mutating func any(_ name: String) -> Any? { members.removeValue(forKey: name) }

  /// Reads a time: RFC 3339, a day, or Unix seconds.
  package mutating func date(_ name: String) throws(Problem) -> Date? {
    if members[name] is NSNumber {
      return try number(name).map { seconds throws(Problem) in
        let date = Date(timeIntervalSince1970: seconds)
        guard EpochMilliseconds(exactly: date.millisecondsSince1970) != nil else {
          throw fault(name, "expected Unix seconds of the years 1 to 9999.")
        }
        return date
      }
    }
    guard let text = try text(name) else { return nil }
    guard let date = RFC3339.date(text) ?? RFC3339.date(text + "T00:00:00Z") else {
      throw fault(name, "expected a time such as 2026-11-20T08:30:00Z, a day such as 2026-11-20, or Unix seconds.")
    }
    return date
  }

  /// Reads one of several words.
  package mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, of type: Choice.Type
  ) throws(Problem) -> Choice? where Choice.RawValue == String {
    guard let text = try text(name) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      throw fault(name, "expected \(Choice.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    return choice
  }

  /// Checks that all members were read.
  /// - Throws: ``Problem`` if a member was not read.
  package func end() throws(Problem) {
    if let name = members.keys.sorted().first { throw fault(name, "unknown field.") }
  }

  package func fault(_ name: String, _ why: String) -> Problem { Problem(422, "Not a \(what)", "\(name): \(why)", at: name) }
}
