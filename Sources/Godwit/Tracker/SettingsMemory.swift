internal import Foundation
internal import GodwitEngine
internal import GodwitModel

/// Settings that a panel or a server changed, as they are kept in the journal over a relaunch.
///
/// Each remembers what the program's own configuration said at the time: when that says something else later, the
/// owner has changed their mind there, and the memory gives way.
struct SettingsMemory: Codable, Sendable, Hashable {
  struct Change: Codable, Sendable, Hashable {
    var value: SettingValue
    /// What the configuration said.
    var base: SettingValue
    var isByServer: Bool
    /// The endpoint whose answer it was; `nil`: none, or it was written before that was kept.
    var server: EndpointID?
  }

  static let note = "settings"
  private(set) var changes: [String: Change] = [:]

  /// - Parameter text: as kept; a memory that cannot be read is an empty one.
  init(text: String?) {
    guard let text, let kept = try? JSONDecoder().decode(SettingsMemory.self, from: Data(text.utf8)) else { return }
    changes = kept.changes
  }

  var text: String? { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } }

  /// The configuration's settings with what was changed since.
  mutating func settings(from base: Settings) -> Settings {
    changes = changes.filter { Settings.entry($0.key)?.value(base) == $0.value.base }
    var settings = base
    for (name, change) in changes.sorted(by: { $0.key < $1.key }) { try? settings.set(name, to: change.value) }
    return settings
  }

  /// - Parameters:
  ///   - new: what was changed.
  ///   - base: what the configuration says.
  ///   - byServer: names of settings that a server changed last.
  ///   - server: whose answer changed them now.
  mutating func remember(_ new: [SettingChange], base: Settings, byServer: Set<String>, server: EndpointID? = nil) {
    for change in new {
      guard let standing = Settings.entry(change.name)?.value(base) else { continue }
      if change.new == standing {
        changes[change.name] = nil
      } else {
        let isByServer = byServer.contains(change.name)
        changes[change.name] = Change(
          value: change.new, base: standing, isByServer: isByServer,
          server: isByServer ? server ?? changes[change.name]?.server : nil)
      }
    }
  }

  /// Logging modes that a server set.
  /// - Parameter first: the endpoint whose answer it was where that was not kept.
  func serverModes(first: EndpointID?) -> [String: ServerMode] {
    var modes: [String: ServerMode] = [:]
    for (name, change) in changes where change.isByServer && name.hasSuffix(".logging_mode") {
      guard let endpoint = change.server ?? first, case .text(let word) = change.base else { continue }
      modes[name] = ServerMode(endpoint: endpoint, before: LoggingMode(rawValue: word) ?? .all)
    }
    return modes
  }

  var setByServer: Set<String> { Set(changes.filter(\.value.isByServer).keys) }
}
