internal import Synchronization

/// A type whose properties are the parameters of an operation. A property whose type is a parameter list adds the
/// parameters of that list. A closed list rejects other parameters: an ignored parameter may be a misspelt filter.
package protocol ParameterList: DocumentedObject {}

extension ParameterList {
  package static var isClosed: Bool { true }

  /// - Throws: ``Problem`` that names the parameter.
  package init(_ query: QueryParameters) throws {
    if Self.isClosed { try Self.rejectUnknown(query) }
    if let (name, reason) = query.ambiguous { throw Problem(400, "Bad argument", "\(name): \(reason)", at: name) }
    self = try Self(from: MemberDecoder(source: QuerySource(query: query)))
  }

  private static func rejectUnknown(_ query: QueryParameters) throws {
    guard query.hasArguments else { return }
    let names = try ArgumentNames.of(Self.self)
    guard let other = query.unknown(beside: names) else { return }
    let expected = names.isEmpty ? "No argument is expected" : "Expected \(names.joined(separator: ", "))"
    throw Problem(400, "Bad argument", "\(other): unknown. \(expected).", at: other)
  }
}

/// The names of the parameters in the query, by parameter list.
enum ArgumentNames {
  private static let known = Mutex<[ObjectIdentifier: [String]]>([:])

  static func of<List: ParameterList>(_ list: List.Type) throws -> [String] {
    if let names = known.withLock({ $0[ObjectIdentifier(list)] }) { return names }
    let recorder = SchemaRecorder(SchemaComponents())
    try recorder.record(list)
    let names = recorder.members.filter { !($0.parameter is any HeaderParameter.Type) }.map(\.name).sorted()
    known.withLock { $0[ObjectIdentifier(list)] = names }
    return names
  }
}

/// No parameters.
package struct NoParameters: ParameterList {
  package init() {}
}

/// A type of parameters: the syntax, the bounds, and the value if the parameter is absent.
package protocol ParameterValue: DocumentedValue, Sendable {
  /// - Returns: `nil` if the parameter is absent.
  /// - Throws: ``Problem`` with the expected value.
  static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self?
  /// The value if the parameter is absent; `nil`: the property is optional, or the parameter is required.
  static var absent: Self? { get }
  /// The description, if the list has none for the parameter.
  static var parameterDescription: String { get }
  /// Statuses of problems that a value can cause, besides 400.
  static var problems: [Int] { get }
  /// Returns the problem of a request without the parameter.
  static func missing(_ name: String) -> Problem
}

extension ParameterValue {
  package static var absent: Self? { nil }
  package static var parameterDescription: String { "" }
  package static var problems: [Int] { [] }
  package static func missing(_ name: String) -> Problem { Problem(400, "Bad argument", "\(name) is missing.", at: name) }
  static var isOptional: Bool { absent != nil }
}

/// A parameter in a header of the request.
package protocol HeaderParameter: ParameterValue {
  /// The name of the header.
  static var header: String { get }
  /// - Throws: ``Problem`` with the expected value.
  init(header text: String) throws(Problem)
}

extension HeaderParameter {
  package static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
    guard let text = query.header(header) else { return nil }
    return try Self(header: text)
  }
  package static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string"] }
}

extension ParameterValue where Self: RawRepresentable & CaseIterable, RawValue == String {
  package static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
    try query.choice(name, of: Self.self)
  }
}

/// Reads parameters from the query and the headers of a request.
private struct QuerySource: MemberSource {
  let query: QueryParameters

  func member<T: Decodable>(_ type: T.Type, _ name: String) throws -> T {
    if type is any ParameterList.Type { return try T(from: MemberDecoder(source: self)) }
    guard let value = type as? any ParameterValue.Type else { throw MemberDecoder<Self>.unsupported("\(type)") }
    guard let found = try value.read(name, from: query) ?? value.absent else { throw value.missing(name) }
    guard let typed = found as? T else { throw MemberDecoder<Self>.unsupported("\(type)") }
    return typed
  }

  func memberIfPresent<T: Decodable>(_ type: T.Type, _ name: String) throws -> T? {
    guard let value = type as? any ParameterValue.Type else { throw MemberDecoder<Self>.unsupported("\(type)") }
    return try value.read(name, from: query) as? T
  }
}
