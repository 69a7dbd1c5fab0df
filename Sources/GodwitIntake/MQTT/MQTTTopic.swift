internal import GodwitStore

/// A filter for the topics of OwnTracks: `owntracks/USER/DEVICE` and the levels below.
///
/// The last two levels of a device's topic are the user and the device. Some apps begin topics with a slash.
public struct MQTTTopicFilter: Sendable, Hashable, CustomStringConvertible {
  /// The filter's text; `+` matches any single level.
  public let text: String
  private let levels: [Substring]

  /// The levels below a device's topic to which the device publishes. Commands are sent to `cmd`, to which only the app subscribes.
  package static let leaves = ["event", "waypoint", "waypoints", "step", "steps", "beacon", "status", "dump", "info", "lwt"]

  /// The default filters.
  // The force unwrap is safe, because the initializer accepts both literals.
  package static let standard = ["owntracks/+/+", "/owntracks/+/+"].map { MQTTTopicFilter($0)! }

  /// - Parameter text: at least three levels, each a name or `+`, optionally after a slash. For other texts the result is `nil`.
  public init?(_ text: String) {
    guard text.utf8.count <= 1024, !text.contains("#"), !text.contains("\0") else { return nil }
    let levels = text.split(separator: "/", omittingEmptySubsequences: false)
    let named = levels.first?.isEmpty == true ? levels.dropFirst() : levels[...]
    guard named.count >= 3, named.allSatisfy({ !$0.isEmpty && ($0 == "+" || !$0.contains("+")) }), named.first?.first != "$"
    else {
      return nil
    }
    self.text = text
    self.levels = levels
  }

  /// All subscriptions of the filter.
  package var subscriptions: [String] { [text] + Self.leaves.map { "\(text)/\($0)" } }

  public var description: String { text }

  /// Parses a topic.
  /// - Returns: `nil` if the topic does not match.
  package func match(_ topic: String) -> MQTTTopic? {
    let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == levels.count || parts.count == levels.count + 1 else { return nil }
    for (level, part) in zip(levels, parts) { guard level == "+" ? !part.isEmpty : level == part else { return nil } }
    let base = parts.prefix(levels.count)
    return MQTTTopic(
      base: base.joined(separator: "/"), user: String(base[base.count - 2]), device: String(base[base.count - 1]),
      leaf: parts.count > levels.count ? String(parts[levels.count]) : nil)
  }
}

/// A message's topic.
package struct MQTTTopic: Sendable, Hashable {
  /// The base topic of the device: `owntracks/jane/phone`.
  package var base: String
  package var user: String
  package var device: String
  /// The level below the base topic, such as `event`; `nil` for locations.
  package var leaf: String?

  package init(base: String, user: String, device: String, leaf: String? = nil) {
    self.base = base
    self.user = user
    self.device = device
    self.leaf = leaf
  }

  /// The names that the app uses for user and device.
  package var label: String { "\(user)/\(device)" }

  /// Possible names of the device in the store, the most specific first.
  package var names: [String] { ["\(user)-\(device)", device].filter { Device.isValid(name: $0) } }

  /// The name of a device that is created for the topic; `nil` if no character of the topic is valid in a name.
  package var newName: String? {
    let plain = "\(user)-\(device)".map { $0.isLetter || $0.isNumber || "-_.@".contains($0) ? $0 : "-" }
    var name = Substring(String(plain))
    while let first = name.first, !first.isLetter, !first.isNumber { name.removeFirst() }
    while name.utf8.count > 64 { name.removeLast() }
    while let last = name.last, !last.isLetter, !last.isNumber { name.removeLast() }
    return Device.isValid(name: String(name)) ? String(name) : nil
  }

  /// Whether a text is a valid base topic: a valid ``MQTTTopicFilter`` without `+`.
  package static func isBase(_ text: String) -> Bool { MQTTTopicFilter(text) != nil && !text.contains("+") }
}
