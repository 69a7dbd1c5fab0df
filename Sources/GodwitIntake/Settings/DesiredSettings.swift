internal import Foundation
package import GodwitHTTP
package import GodwitModel
internal import GodwitStore
internal import GodwitText

/// Settings by name that a server sets on a device.
package struct DesiredSettings: Sendable, Hashable {
  /// The settings in the order of the settings table.
  package private(set) var values: [(name: String, value: SettingValue)]

  package static func == (a: Self, b: Self) -> Bool { a.stored == b.stored }
  package func hash(into hasher: inout Hasher) { hasher.combine(stored) }

  /// - Parameter values: the values by dotted names.
  /// - Throws: `Problem` with the fault and its place.
  package init(_ values: [String: SettingValue]) throws(Problem) {
    var settings = Settings()
    for name in values.keys.sorted() {
      guard let value = values[name] else { continue }
      do throws(SettingError) { try settings.set(name, to: value, by: .userAndServer) } catch {
        throw Problem(422, "Bad setting", "\(error.description) `godwit settings` shows them all.", at: name)
      }
    }
    // The settings table normalizes values: a number in a string becomes a number.
    self.values = Settings.table.compactMap { entry in
      values[entry.name] == nil ? nil : (entry.name, entry.value(settings))
    }
  }

  /// Decodes settings in the form of a settings file, with nested or dotted names.
  /// - Throws: `Problem` with the fault and its place.
  package init(json bytes: [UInt8]) throws(Problem) {
    guard let tree = try? JSONDecoder().decode(Node.self, from: Data(bytes)), case .object(let members) = tree else {
      throw Problem(
        400, "Not settings", #"Expected a JSON object such as {"send_interval":"10s","main":{"min_distance":"50m"}}."#,
        at: "byte 0")
    }
    var values: [String: SettingValue] = [:]
    try Self.flatten(members, "", into: &values)
    guard !values.isEmpty else {
      throw Problem(422, "No settings", "The body contains no setting. DELETE withdraws pending settings.", at: "byte 0")
    }
    try self.init(values)
  }

  /// - Parameter stored: a former value of ``stored``. Unknown settings of a newer version are omitted.
  package init(stored: String) {
    let values = (try? JSONDecoder().decode([String: SettingValue].self, from: Data(stored.utf8))) ?? [:]
    self.values = Settings.table.compactMap { entry in values[entry.name].map { (entry.name, $0) } }
  }

  /// A JSON object with dotted names.
  package var stored: String {
    "{" + values.map { "\($0.name.jsonQuoted):\(Self.json($0.value))" }.joined(separator: ",") + "}"
  }

  /// The first setting that stops a tracker from sending; `nil` if there is none.
  package var silencer: String? {
    values.first { name, value in
      (name == "send_interval" || name.hasSuffix(".tracking_mode")) && value == .text("off")
    }?.name
  }

  /// A JSON object with nested names, in the form of an answer to an upload.
  package var set: String {
    var members: [String] = []
    var groups: [(name: String, members: [String])] = []
    for (name, value) in values {
      let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        members.append("\(name.jsonQuoted):\(Self.json(value))")
        continue
      }
      let member = "\(parts[1].jsonQuoted):\(Self.json(value))"
      if let index = groups.firstIndex(where: { $0.name == parts[0] }) {
        groups[index].members.append(member)
      } else {
        groups.append((parts[0], [member]))
      }
    }
    members += groups.map { "\($0.name.jsonQuoted):{\($0.members.joined(separator: ","))}" }
    return "{" + members.joined(separator: ",") + "}"
  }

  private static func json(_ value: SettingValue) -> String {
    switch value {
    case .text(let text): text.jsonQuoted
    case .number, .flag: value.description
    case .list(let items): "[" + items.map(\.jsonQuoted).joined(separator: ",") + "]"
    case .other: "null"
    }
  }

  private static func flatten(
    _ members: [String: Node], _ prefix: String, into values: inout [String: SettingValue]
  ) throws(Problem) {
    for (name, node) in members.sorted(by: { $0.key < $1.key }) {
      let name = prefix + name
      switch node {
      case .object(let inner): try flatten(inner, name + ".", into: &values)
      case .value(let value):
        guard values.updateValue(value, forKey: name) == nil else {
          throw Problem(422, "Bad setting", "\"\(name)\" is given twice.", at: name)
        }
      }
    }
  }

  /// A value or an object.
  private indirect enum Node: Decodable {
    case value(SettingValue)
    case object([String: Node])

    init(from decoder: any Decoder) throws {
      if let object = try? decoder.singleValueContainer().decode([String: Node].self) {
        self = .object(object)
      } else {
        self = .value(try SettingValue(from: decoder))
      }
    }
  }
}
