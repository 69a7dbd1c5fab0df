internal import Foundation
internal import GodwitEngine
internal import GodwitJournal
internal import GodwitModel

/// Settings that a panel or a server changed, stored in the journal across launches.
///
/// Each entry also has the value of the program's configuration at the time of the change. If the configuration has
/// another value later, the entry is discarded.
struct SettingsMemory: Codable, Sendable, Hashable {
  struct Change: Codable, Sendable, Hashable {
    var value: SettingValue
    /// The value of the configuration at the time of the change.
    var base: SettingValue
    var isByServer: Bool
    /// The endpoint whose response set it; `nil`: none, or stored by an earlier version.
    var server: EndpointID?
  }

  static let note = "settings"
  private(set) var changes: [String: Change] = [:]

  /// - Parameter text: the stored text. An unreadable text results in an empty memory.
  init(text: String?) {
    guard let text, let kept = try? JSONDecoder().decode(SettingsMemory.self, from: Data(text.utf8)) else { return }
    changes = kept.changes
  }

  var text: String? { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } }

  /// Returns the configuration's settings with the stored changes.
  mutating func settings(from base: Settings) -> Settings {
    changes = changes.filter { Settings.entry($0.key)?.value(base) == $0.value.base }
    var settings = base
    for (name, change) in changes.sorted(by: { $0.key < $1.key }) { try? settings.set(name, to: change.value) }
    return settings
  }

  /// Adds changes. A setting that has the value of the configuration again is removed.
  /// - Parameters:
  ///   - new: the changes.
  ///   - base: the settings of the configuration.
  ///   - byServer: names of settings that a server changed last.
  ///   - server: the endpoint of the response that makes this change.
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

  /// Stores changes in the journal, and logs them with their source.
  /// - Parameters:
  ///   - changes: the changes.
  ///   - source: the source of the changes.
  ///   - base: the settings of the configuration.
  ///   - byServer: names of settings that a server changed last.
  ///   - writer: writes to the journal.
  ///   - now: the time.
  mutating func store(
    _ changes: [SettingChange], by source: SettingsSource, base: Settings, byServer: Set<String>,
    in writer: inout RecordWriter, at now: Date
  ) {
    let server: EndpointID? = if case .server(let endpoint) = source { endpoint } else { nil }
    remember(changes, base: base, byServer: byServer, server: server)
    writer.write([], [Self.note: text])
    let name =
      switch source {
      case .user: "user"
      case .server(let endpoint): "server \(endpoint)"
      case .rollback(let endpoint): "rollback \(endpoint)"
      }
    writer.settingsChanged = now
    writer.attempt { try $0.journal.log(changes, source: name, at: now) }
  }

  /// Returns the logging modes that a server set.
  /// - Parameter first: the endpoint to assume if none is stored.
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
