/// An entry of the table of settings.
public struct SettingEntry: Sendable {
  /// The parties that are permitted to change the setting.
  public enum Authority: String, Sendable, Hashable, Codable {
    /// The user, by file, command or panel.
    case user
    /// The user, and the server in its responses.
    case userAndServer
  }

  /// The permitted values.
  public enum Kind: Sendable, Hashable {
    /// One of these words.
    case choice([String])
    /// One of these whole numbers. A number as text is accepted too, because Overland's servers send both.
    case number([Int])
    case flag
    /// A text with at most this number of characters.
    case text(Int)
    /// Texts, each in this format.
    case list(String)
  }

  /// Dotted name, as in Overland's remote settings.
  public let name: String
  /// A short label for a form.
  public let title: String
  /// Description in one sentence.
  public let summary: String
  public let kind: Kind
  public let authority: Authority
  /// Unit of a number, for a form: "records".
  public var unit: String?
  /// Returns the value.
  public let value: @Sendable (Settings) -> SettingValue
  /// Sets the value. Returns `false` if the value is not permitted.
  let assign: @Sendable (inout Settings, SettingValue) -> Bool
  /// Returns a number that a program has set and that is not one of the permitted values; `nil` if the number is permitted.
  var exact: (@Sendable (Settings) -> Double?)? = nil
  var assignExact: (@Sendable (inout Settings, Double) -> Void)? = nil

  /// The default value.
  public var standard: SettingValue { value(Settings()) }

  /// The permitted values, as text: "off | 1m | 10m".
  public var allowed: String {
    switch kind {
    case .choice(let words): words.joined(separator: " | ")
    case .number(let numbers): numbers.map(String.init).joined(separator: " | ")
    case .flag: "true | false"
    case .text(let count): "a text of at most \(count) characters"
    case .list(let form): "a list of \(form)"
    }
  }

  /// The section of a form for this setting.
  public var section: String {
    switch name.split(separator: ".").first {
    case "main": "main"
    case "trip": "trip"
    case "fields": "fields"
    default: "system"
    }
  }
}

/// The error for an invalid value or an unknown setting.
public struct SettingError: Error, Sendable, Hashable, CustomStringConvertible {
  public var description: String
  public init(_ description: String) { self.description = description }
}

extension Settings {
  private static let entries = Dictionary(uniqueKeysWithValues: table.map { ($0.name, $0) })

  /// Returns the entry with a name; `nil` if there is none.
  public static func entry(_ name: String) -> SettingEntry? { entries[name] }

  /// Changes a setting by its name.
  /// - Parameters:
  ///   - name: A name in the table of settings.
  ///   - value: A value that the table permits.
  ///   - authority: Source of the change. A server may change only some settings.
  /// - Throws: A ``SettingError`` with the name, the value and the permitted values. The settings are then unchanged.
  public mutating func set(
    _ name: String, to value: SettingValue, by authority: SettingEntry.Authority = .user
  ) throws(SettingError) {
    guard let entry = Self.entry(name) else { throw SettingError("There is no setting \"\(name)\".") }
    if authority == .userAndServer {
      guard entry.authority == .userAndServer else {
        throw SettingError("\"\(name)\" can be changed by the user only.")
      }
      guard remoteSettings.contains(where: { name == $0 || name.hasPrefix($0 + ".") }) else {
        throw SettingError("\"\(name)\" may not be changed by a server here: remote_settings does not name it.")
      }
    }
    guard entry.assign(&self, value) else {
      var rejected = value
      if case .list(let items) = value {
        // Report only the invalid items of a list.
        let bad = items.filter { item in
          var other = self
          return !entry.assign(&other, .list([item]))
        }
        if !bad.isEmpty { rejected = .list(bad) }
      }
      throw SettingError("\"\(name)\" cannot be \(rejected); expected \(entry.allowed).")
    }
  }

  /// All settings that differ from their defaults, by name.
  public var changes: [(name: String, value: SettingValue)] {
    Self.table.compactMap { entry in
      let value = entry.value(self)
      return value == entry.standard ? nil : (entry.name, value)
    }
  }

  /// Returns the differences to other settings.
  public func difference(to other: Settings) -> [SettingChange] {
    Self.table.compactMap { entry in
      let (old, new) = (entry.value(self), entry.value(other))
      return old == new ? nil : SettingChange(name: entry.name, old: old, new: new)
    }
  }
}

/// A change of one setting.
public struct SettingChange: Sendable, Hashable, Codable, CustomStringConvertible {
  public var name: String
  public var old: SettingValue
  public var new: SettingValue

  public init(name: String, old: SettingValue, new: SettingValue) {
    self.name = name
    self.old = old
    self.new = new
  }

  public var description: String { "\(name): \(old) → \(new)" }
}
