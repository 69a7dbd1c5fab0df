internal import GodwitStore

/// Where OwnTracks' messages are: `owntracks/USER/DEVICE` and what is below it.
///
/// The last two levels name the user and the device, whatever comes before them; some apps begin with a slash.
public struct MQTTTopicFilter: Sendable, Hashable, CustomStringConvertible {
  /// What is subscribed to; `+` is any one level.
  public let text: String
  private let levels: [Substring]

  /// What there is below a device's topic and comes from it. Commands go to `cmd`, and only the app listens there.
  package static let leaves = ["event", "waypoint", "waypoints", "step", "steps", "beacon", "status", "dump", "info", "lwt"]

  /// Those that are subscribed to unless the configuration says otherwise.
  // Valid: literals of the form that the type reads.
  package static let standard = ["owntracks/+/+", "/owntracks/+/+"].map { MQTTTopicFilter($0)! }

  /// - Parameter text: three levels at least, each a name or `+`; a slash may come first. `nil` when it is none.
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

  /// Everything that is subscribed to.
  package var subscriptions: [String] { [text] + Self.leaves.map { "\(text)/\($0)" } }

  public var description: String { text }

  /// Takes a topic apart.
  /// - Returns: `nil` when it is none of these.
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
  /// The device's: `owntracks/jane/phone`.
  package var base: String
  package var user: String
  package var device: String
  /// What is below it: `event`; `nil`: nothing, as with places.
  package var leaf: String?

  package init(base: String, user: String, device: String, leaf: String? = nil) {
    self.base = base
    self.user = user
    self.device = device
    self.leaf = leaf
  }

  /// What the app calls user and device.
  package var label: String { "\(user)/\(device)" }

  /// Names of devices that this one is looked for under, the surest first.
  package var names: [String] { ["\(user)-\(device)", device].filter { Device.isValid(name: $0) } }

  /// A name for a device that is made for it; `nil` where nothing of it can be in one.
  package var newName: String? {
    let plain = "\(user)-\(device)".map { $0.isLetter || $0.isNumber || "-_.@".contains($0) ? $0 : "-" }
    var name = Substring(String(plain))
    while let first = name.first, !first.isLetter, !first.isNumber { name.removeFirst() }
    while name.utf8.count > 64 { name.removeLast() }
    while let last = name.last, !last.isLetter, !last.isNumber { name.removeLast() }
    return Device.isValid(name: String(name)) ? String(name) : nil
  }

  /// Whether a text can be a device's topic: as ``MQTTTopicFilter`` has it, without `+`.
  package static func isBase(_ text: String) -> Bool { MQTTTopicFilter(text) != nil && !text.contains("+") }
}
