internal import Foundation
internal import GodwitCommandLine

/// The members of a JSON object in a file that a user edits. Each member is read with its type. Errors contain its place.
struct JSONMembers {
  /// File and path of the object: `tracker.json: endpoints[1]`.
  let place: String
  private let object: [String: Any]

  init(_ object: [String: Any], place: String) {
    self.object = object
    self.place = place
  }

  /// Reads a file.
  init(file: String) throws {
    guard let data = FileManager.default.contents(atPath: file) else { throw Failure("\(file): it cannot be read.") }
    let value: Any
    do { value = try JSONSerialization.jsonObject(with: data) } catch {
      throw Failure("\(file): not JSON: \(Self.reason(error))")
    }
    guard let object = value as? [String: Any] else { throw Failure("\(file): expected a JSON object.") }
    self.init(object, place: file)
  }

  var names: [String] { object.keys.sorted() }
  func has(_ name: String) -> Bool { object[name] != nil }

  /// Rejects unknown members, because a misspelt name would otherwise be ignored.
  func refuse(allBut known: [String]) throws {
    for name in names where !known.contains(name) {
      throw Failure("\(place): \"\(name)\" is unknown; expected \(known.joined(separator: ", ")).")
    }
  }

  func text(_ name: String) throws -> String? {
    guard let value = object[name] else { return nil }
    guard let text = value as? String, !text.isEmpty else { throw wrong(name, "a text") }
    return text
  }

  func flag(_ name: String) throws -> Bool? {
    guard let value = object[name] else { return nil }
    guard let number = value as? NSNumber, Self.isFlag(number) else { throw wrong(name, "true or false") }
    return number.boolValue
  }

  func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
    guard let value = object[name] else { return nil }
    func word(_ number: Double) -> String { number == number.rounded() ? String(Int(number)) : String(number) }
    guard let number = value as? NSNumber, !Self.isFlag(number), range.contains(number.doubleValue) else {
      throw wrong(name, "a number, \(word(range.lowerBound)) to \(word(range.upperBound))")
    }
    return number.doubleValue
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let number = try number(name, in: Double(range.lowerBound)...Double(range.upperBound)) else { return nil }
    guard number == number.rounded() else { throw wrong(name, "a whole number") }
    return Int(number)
  }

  func texts(_ name: String) throws -> [String]? {
    guard let value = object[name] else { return nil }
    guard let texts = value as? [String] else { throw wrong(name, "an array of strings") }
    return texts
  }

  func members(_ name: String) throws -> JSONMembers? {
    guard let value = object[name] else { return nil }
    guard let object = value as? [String: Any] else { throw wrong(name, "an object") }
    return JSONMembers(object, place: "\(place): \(name)")
  }

  func list(_ name: String) throws -> [JSONMembers]? {
    guard let value = object[name] else { return nil }
    guard let objects = value as? [[String: Any]] else { throw wrong(name, "an array of objects") }
    return objects.enumerated().map { JSONMembers($1, place: "\(place): \(name)[\($0)]") }
  }

  /// The raw object, for callers that parse it themselves.
  var all: [String: Any] { object }
  func any(_ name: String) -> Any? { object[name] }

  func wrong(_ name: String, _ expected: String) -> Failure {
    Failure("\(place): \"\(name)\" is \(Self.text(of: object[name])); expected \(expected).")
  }

  private static func text(of value: Any?) -> String {
    guard let value, let data = try? JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed]) else {
      return "missing"
    }
    let text = String(decoding: data, as: UTF8.self)
    return text.count > 80 ? text.prefix(80) + "…" : text
  }

  // Foundation's Booleans are numbers. Only their Objective-C type distinguishes them.
  private static func isFlag(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }

  private static func reason(_ error: any Error) -> String {
    let reported = (error as NSError).userInfo["NSDebugDescription"] as? String
    return reported ?? error.localizedDescription
  }
}
