internal import GodwitText

/// A command for an app, as sent in a request.
struct OwnTracksCommand {
  typealias Fault = JSONReader.Fault

  private enum Member: Int, KnownMember {
    case type, action, waypoints, configuration
    static let names: [StaticString] = ["_type", "action", "waypoints", "configuration"]
  }

  private let action: String
  /// The message `waypoints`; `nil` for other actions.
  private let waypoints: String?
  /// The message `configuration`; `nil` for other actions.
  private let configuration: String?
  private let others: UnmappedMembers

  /// Reads and checks the next object.
  init(from json: inout JSONReader) throws(Fault) {
    var (action, waypoints, configuration): (String?, String?, String?)
    var others = UnmappedMembers()
    _ = json.peek()
    let start = json.position
    try others.readObject(from: &json) { (json, key, _) throws(Fault) in
      switch Member(key, in: json) {
      case .type: _ = try json.text { $0 == "cmd" ? nil : "\($0.prefix(20).debugDescription) is not a command; expected cmd" }
      case .action:
        action = try json.text { text in
          OwnTracks.actions.contains(text)
            ? nil
            : "\(text.prefix(40).debugDescription) is not an action of an app; expected one of "
              + OwnTracks.actions.joined(separator: ", ")
        }
      case .waypoints: waypoints = try Self.waypoints(from: &json)
      case .configuration:
        guard try json.kind() == .object else { throw json.unexpected("expected an object", at: json.position) }
        configuration = try Self.message("configuration", from: &json)
      case nil: return false
      }
      return true
    }
    guard let action else { throw json.unexpected("a command needs an action", at: start, path: ".action") }
    for (name, value, owner) in [
      ("waypoints", waypoints, "setWaypoints"), ("configuration", configuration, "setConfiguration"),
    ] {
      guard (value != nil) == (action == owner) else {
        throw json.unexpected(
          value == nil ? "\(action) needs \(name)" : "only \(owner) has \(name)", at: start, path: ".\(name)")
      }
    }
    (self.action, self.waypoints, self.configuration, self.others) = (action, waypoints, configuration, others)
  }

  /// Reads the message `waypoints`, or only its array.
  private static func waypoints(from json: inout JSONReader) throws(Fault) -> String {
    switch try json.kind() {
    case .array: return #"{"_type":"waypoints","waypoints":\#(json.verbatim(try json.skipValue()))}"#
    case .object: return try message("waypoints", from: &json)
    default: throw json.unexpected("expected an array of waypoints, or a message that has one", at: json.position)
    }
  }

  /// Reads the next object as a message of a type and replaces its own `_type`.
  private static func message(_ type: StaticString, from json: inout JSONReader) throws(Fault) -> String {
    let text = try json.object(without: ["_type"])
    return #"{"_type":"\#(type)""# + (text == "{}" ? "}" : "," + text.dropFirst())
  }

  /// The message `cmd`.
  var message: [UInt8] {
    var text = #"{"_type":"cmd","action":"\#(action)""#
    if let waypoints { text += #","waypoints":\#(waypoints)"# }
    if let configuration { text += #","configuration":\#(configuration)"# }
    if let others = others.text { text += "," + others.dropFirst().dropLast() }
    return Array((text + "}").utf8)
  }
}

extension JSONReader {
  /// Reads an object without the members of some names, also in nested objects.
  /// - Parameters:
  ///   - names: the names of the removed members.
  ///   - isDeep: whether they are removed from objects in arrays too.
  ///   - depth: the number of objects and arrays that contain the object.
  mutating func object(without names: [StaticString], isDeep: Bool = false, depth: Int = 0) throws(Fault) -> String {
    var others = UnmappedMembers()
    try others.readObject(from: &self) { (json, key, others) throws(Fault) in
      if json.index(of: key, in: names) != nil {
        try json.skipValue()
        return true
      }
      guard let value = try json.container(without: names, isDeep: isDeep, depth: depth + 1) else { return false }
      others.store(json.decoded(key), json: value)
      return true
    }
    return others.text ?? "{}"
  }

  /// Reads the next object or array without the members of some names; `nil`: the value is another one, and is not read.
  private mutating func container(without names: [StaticString], isDeep: Bool, depth: Int) throws(Fault) -> String? {
    let next = try kind()
    guard next == .object || (next == .array && isDeep) else { return nil }
    guard depth <= Self.maximumDepth else { throw unexpected(Self.tooDeep, at: position) }
    if next == .object { return try object(without: names, isDeep: isDeep, depth: depth) }
    position += 1
    guard !isEmpty(closing: UInt8(ascii: "]")) else { return "[]" }
    var elements: [String] = []
    repeat {
      if let value = try container(without: names, isDeep: isDeep, depth: depth + 1) {
        elements.append(value)
      } else {
        elements.append(verbatim(try skipValue()))
      }
    } while try hasMore(closing: UInt8(ascii: "]"))
    return "[" + elements.joined(separator: ",") + "]"
  }
}
