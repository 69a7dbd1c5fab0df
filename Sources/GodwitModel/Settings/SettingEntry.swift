/// An entry of the table of settings.
public struct SettingEntry: Sendable {
  /// The parties that may change the setting.
  public enum Authority: String, Sendable, Hashable, Codable {
    /// The user, by file, command or panel.
    case user
    /// The user, and the server in its responses.
    case userAndServer
  }

  /// The allowed values.
  public enum Kind: Sendable, Hashable {
    /// One of these words.
    case choice([String])
    /// One of these whole numbers; a numeric text is accepted too, as Overland's servers send both.
    case number([Int])
    case flag
    /// A text of at most so many characters.
    case text(Int)
    /// Texts, each of this form.
    case list(String)
  }

  /// Dotted name, as Overland's remote settings have it.
  public let name: String
  /// A short label for a form.
  public let title: String
  /// What it does, in a sentence.
  public let summary: String
  public let kind: Kind
  public let authority: Authority
  /// What a number counts, for a form: "records".
  public var unit: String?
  /// Returns the value.
  public let value: @Sendable (Settings) -> SettingValue
  /// Sets the value; returns `false` if it is not allowed.
  let assign: @Sendable (inout Settings, SettingValue) -> Bool
  /// A number that a program has set and that is not in the table; `nil`: the table has it.
  var exact: (@Sendable (Settings) -> Double?)? = nil
  var assignExact: (@Sendable (inout Settings, Double) -> Void)? = nil

  /// The default.
  public var standard: SettingValue { value(Settings()) }

  /// The allowed values, as text: "off | 1m | 10m".
  public var allowed: String {
    switch kind {
    case .choice(let words): words.joined(separator: " | ")
    case .number(let numbers): numbers.map(String.init).joined(separator: " | ")
    case .flag: "true | false"
    case .text(let count): "a text of at most \(count) characters"
    case .list(let form): "a list of \(form)"
    }
  }

  /// The section of a form that it belongs to.
  public var section: String {
    switch name.split(separator: ".").first {
    case "main": "main"
    case "trip": "trip"
    case "fields": "fields"
    default: "system"
    }
  }
}

/// The error of an invalid value, or of an unknown setting.
public struct SettingError: Error, Sendable, Hashable, CustomStringConvertible {
  public var description: String
  public init(_ description: String) { self.description = description }
}

extension Settings {
  private static let entries = Dictionary(uniqueKeysWithValues: table.map { ($0.name, $0) })

  /// Returns the entry of a name.
  public static func entry(_ name: String) -> SettingEntry? { entries[name] }

  /// Changes one setting by its name.
  /// - Parameters:
  ///   - name: as in the table of settings.
  ///   - value: one of those that the table allows.
  ///   - authority: the source of the change: the server may change only some settings.
  /// - Throws: a sentence with the name, the value and the allowed values; then nothing has changed.
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
        // Of a list only the invalid items are named.
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
