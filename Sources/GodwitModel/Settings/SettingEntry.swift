/// A setting's value as it stands in a file, an answer or a link.
public enum SettingValue: Sendable, Hashable, CustomStringConvertible {
  case text(String)
  case number(Double)
  case flag(Bool)

  public var description: String {
    switch self {
    case .text(let text): "\"\(text)\""
    case .number(let number): number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
    case .flag(let flag): String(flag)
    }
  }
}

/// One line of the table of settings.
public struct SettingEntry: Sendable {
  /// Who may change it.
  public enum Authority: Sendable, Hashable {
    /// The owner, by file, command or panel.
    case owner
    /// The owner, and the server in its answers.
    case ownerAndServer
  }

  /// Dotted name, as Overland's remote settings have it.
  public let name: String
  /// What it does, in a sentence.
  public let summary: String
  /// What it may be, for people: "off | 1m | 10m".
  public let allowed: String
  public let authority: Authority
  /// Reads it.
  public let value: @Sendable (Settings) -> SettingValue
  /// Writes it; `false` when the value is not allowed.
  let assign: @Sendable (inout Settings, SettingValue) -> Bool

  /// The default.
  public var standard: SettingValue { value(Settings()) }
}

/// A value that a setting cannot have, or a setting that there is not.
public struct SettingError: Error, Sendable, Hashable, CustomStringConvertible {
  public var description: String
  public init(_ description: String) { self.description = description }
}

extension Settings {
  /// Changes one setting by its name.
  /// - Parameters:
  ///   - name: as in the table of settings.
  ///   - value: one of those that the table allows.
  ///   - authority: who asks: the server may change only what it may.
  /// - Throws: a sentence with the name, the value and what is allowed; nothing has changed then.
  public mutating func set(
    _ name: String, to value: SettingValue, by authority: SettingEntry.Authority = .owner
  ) throws(SettingError) {
    guard let entry = Self.table.first(where: { $0.name == name }) else {
      throw SettingError("There is no setting \"\(name)\".")
    }
    guard authority == .owner || entry.authority == .ownerAndServer else {
      throw SettingError("\"\(name)\" can be changed by the owner only.")
    }
    guard entry.assign(&self, value) else {
      throw SettingError("\"\(name)\" cannot be \(value); expected \(entry.allowed).")
    }
  }

  /// All settings that differ from their defaults, by name.
  public var changes: [(name: String, value: SettingValue)] {
    Self.table.compactMap { entry in
      let value = entry.value(self)
      return value == entry.standard ? nil : (entry.name, value)
    }
  }
}
