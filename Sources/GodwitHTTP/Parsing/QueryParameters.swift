package import Foundation
package import GodwitModel

/// The query arguments of a request, read by name. An invalid argument is a ``Problem`` with status 400 that names the
/// argument. Numbers are bounded, so that computations with them cannot overflow.
package struct QueryParameters {
  private let request: HTTPRequest

  fileprivate init(_ request: HTTPRequest) { self.request = request }

  /// The value of an argument, percent-decoded; "" if it has no value, `nil` if it is absent.
  package subscript(_ name: String) -> String? { request.argument(name) }

  /// The value of a header of the same request.
  func header(_ name: String) -> String? { request.header(name) }

  /// All values of an argument that may be repeated.
  package func all(_ name: String) -> [String] { request.queryItems.filter { $0.name == name }.map(\.value) }

  /// The first argument of a DELETE request that has no value or occurs twice; `nil`: none. If such a filter were ignored,
  /// more would be deleted than intended.
  var ambiguous: (name: String, reason: String)? {
    guard request.method == "DELETE" else { return nil }
    var names: Set<String> = []
    for (name, value) in request.queryItems {
      if value.isEmpty { return (name, "empty. Leave it out, or give it a value.") }
      if !names.insert(name).inserted { return (name, "there twice. Send it once.") }
    }
    return nil
  }

  /// Whether the request has any argument.
  var hasArguments: Bool { !request.queryItems.isEmpty }

  /// Returns the first argument with a name that is not expected. Token arguments are always permitted.
  func unknown(beside names: some Collection<String>) -> String? {
    request.queryItems.first { !names.contains($0.name) && $0.name != "token" && $0.name != "api_key" }?.name
  }

  /// The value of an argument that is neither absent nor empty.
  package func text(_ name: String) -> String? {
    guard let text = self[name], !text.isEmpty else { return nil }
    return text
  }

  /// Returns the comma-separated words of an argument, without surrounding white space and without empty words.
  package func words(_ name: String) -> [String] {
    (self[name] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  /// Reads `true` or `false`. An absent flag is false, an empty one is invalid.
  package func flag(_ name: String) throws(Problem) -> Bool {
    switch self[name] {
    case nil, "false": return false
    case "true": return true
    case let other?: throw Self.problem(name, other, "expected true or false.")
    }
  }

  /// Reads a whole number within the range of its type.
  /// - Parameter expected: the meaning of the number, for errors.
  package func number<Limits: IntegerLimits>(
    _ name: String, _ expected: String
  ) throws(Problem) -> BoundedInteger<Limits>? {
    guard let text = text(name) else { return nil }
    guard let number = BoundedInteger<Limits>(text) else {
      throw Self.problem(
        name, text, "expected \(expected), \(Limits.range.lowerBound) to \(Limits.range.upperBound).")
    }
    return number
  }

  /// Reads a finite number. An empty argument is invalid.
  package func decimal(_ name: String, in range: ClosedRange<Double>, _ expected: String) throws(Problem) -> Double? {
    guard let text = self[name] else { return nil }
    guard let number = Double(text), range.contains(number) else { throw Self.problem(name, text, "expected \(expected).") }
    return number
  }

  /// Reads a time, or a day, which means its start in UTC.
  package func date(_ name: String) throws(Problem) -> Date? {
    guard let text = text(name) else { return nil }
    // "+" in a query means a space, and many clients do not encode it as %2B.
    let repaired = text.replacing(" ", with: "+")
    if let date = RFC3339.date(text) ?? RFC3339.date(repaired) ?? RFC3339.date(text + "T00:00:00Z") { return date }
    throw Self.problem(name, text, "expected a time such as 2026-11-20T08:30:00Z, or a day such as 2026-11-20.")
  }

  /// Reads the arguments `from` and `to`.
  package func dates() throws(Problem) -> (from: Date?, to: Date?) { (try date("from"), try date("to")) }

  /// Reads the range from `from` to `to` in milliseconds since 1970. `to` must be after `from`.
  /// - Parameter all: the bounds to use for absent arguments.
  package func times(in all: Range<Int64>) throws(Problem) -> Range<Int64> {
    let (from, to) = try dates()
    let (first, end) = (from?.millisecondsSince1970 ?? all.lowerBound, to?.millisecondsSince1970 ?? all.upperBound)
    guard first < end else { throw Problem(400, "Bad argument", "to: expected a time after from.", at: "to") }
    return first..<end
  }

  /// Reads one of several words.
  package func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, of type: Choice.Type
  ) throws(Problem) -> Choice? where Choice.RawValue == String {
    guard let text = text(name) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      throw Self.problem(name, text, "expected one of \(Choice.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    return choice
  }

  /// Reads the edges of a bounding box in degrees.
  package func edges(
    _ name: String = "bbox"
  ) throws(Problem) -> (west: Double, south: Double, east: Double, north: Double)? {
    guard let text = text(name) else { return nil }
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard numbers.count == 4, let west = numbers[0], let south = numbers[1], let east = numbers[2],
      let north = numbers[3], Coordinate(latitude: south, longitude: west) != nil,
      Coordinate(latitude: north, longitude: east) != nil, south <= north
    else { throw Self.problem(name, text, "expected west,south,east,north in degrees, south ≤ north.") }
    return (west, south, east, north)
  }

  // MARK: Pages

  /// Reads the maximum number of items of a page. An empty argument is invalid.
  package func limit(_ name: String = "limit", standard: Int = 100, largest: Int = 1000) throws(Problem) -> Int {
    guard let text = self[name] else { return standard }
    guard let size = PageSize(text), size.count <= largest else {
      throw Self.problem(name, text, "expected a whole number, 1 to \(largest).")
    }
    return size.count
  }

  /// Reads the position at which a page begins.
  /// - Parameter read: parses a cursor; `nil`: it is invalid.
  package func cursor<Cursor>(_ read: (String) -> Cursor?) throws(Problem) -> Cursor? {
    guard let text = text("cursor") else { return nil }
    guard let cursor = read(text) else {
      throw Self.problem("cursor", text, "expected the \"next_cursor\" of an earlier response.")
    }
    return cursor
  }

  /// Reads the number of the row at which a page begins.
  package func rowCursor() throws(Problem) -> Int64? { try cursor { RowNumber($0)?.value } }

  private static func problem(_ name: String, _ text: String, _ expected: String) -> Problem {
    Problem(400, "Bad argument", "\(name)=\(text.prefix(80)): \(expected)", at: name)
  }
}

extension HTTPRequest {
  /// The query arguments.
  package var query: QueryParameters { QueryParameters(self) }
}
