/// Factories of entries, one for each kind. A key path to a property of a value type has no state, so that it can be shared.
extension SettingEntry {
  /// Creates an entry whose values have names.
  static func choice<Value: Hashable & Sendable>(
    _ name: String, _ title: String, _ summary: String, _ path: any WritableKeyPath<Settings, Value> & Sendable,
    _ choices: [(String, Value)], authority: Authority = .userAndServer
  ) -> SettingEntry {
    SettingEntry(
      name: name, title: title, summary: summary, kind: .choice(choices.map(\.0)), authority: authority,
      value: { settings in .text(choices.first { $0.1 == settings[keyPath: path] }?.0 ?? "") },
      assign: { settings, value in
        guard case .text(let word) = value, let choice = choices.first(where: { $0.0 == word }) else { return false }
        settings[keyPath: path] = choice.1
        return true
      },
      exact: { settings in
        let value = settings[keyPath: path]
        return choices.contains { $0.1 == value } ? nil : value as? Double
      },
      assignExact: { if let value = $1 as? Value { $0[keyPath: path] = value } })
  }

  /// Creates an entry for an enumeration.
  static func word<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ title: String, _ summary: String, _ path: any WritableKeyPath<Settings, Value> & Sendable,
    authority: Authority = .userAndServer
  ) -> SettingEntry {
    SettingEntry(
      name: name, title: title, summary: summary, kind: .choice(Value.allCases.map(\.rawValue)), authority: authority,
      value: { .text($0[keyPath: path].rawValue) },
      assign: { settings, value in
        guard case .text(let word) = value, let known = Value(rawValue: word) else { return false }
        settings[keyPath: path] = known
        return true
      })
  }

  static func number(
    _ name: String, _ title: String, _ summary: String, _ path: any WritableKeyPath<Settings, Int> & Sendable,
    _ allowed: [Int], unit: String
  ) -> SettingEntry {
    SettingEntry(
      name: name, title: title, summary: summary, kind: .number(allowed), authority: .userAndServer, unit: unit,
      value: { .number(Double($0[keyPath: path])) },
      assign: { settings, value in
        let number: Int? =
          switch value {
          case .number(let number): Int(exactly: number)
          case .text(let text): Int(text)
          case .flag, .list, .other: nil
          }
        guard let number, allowed.contains(number) else { return false }
        settings[keyPath: path] = number
        return true
      },
      exact: { allowed.contains($0[keyPath: path]) ? nil : Double($0[keyPath: path]) },
      assignExact: { if let number = Int(exactly: $1) { $0[keyPath: path] = number } })
  }

  static func flag(
    _ name: String, _ title: String, _ summary: String, _ path: any WritableKeyPath<Settings, Bool> & Sendable,
    authority: Authority = .userAndServer
  ) -> SettingEntry {
    SettingEntry(
      name: name, title: title, summary: summary, kind: .flag, authority: authority,
      value: { .flag($0[keyPath: path]) },
      assign: { settings, value in
        guard case .flag(let flag) = value else { return false }
        settings[keyPath: path] = flag
        return true
      })
  }

  static func text(
    _ name: String, _ title: String, _ summary: String, _ path: any WritableKeyPath<Settings, String> & Sendable
  ) -> SettingEntry {
    SettingEntry(
      name: name, title: title, summary: summary, kind: .text(200), authority: .user,
      value: { .text($0[keyPath: path]) },
      assign: { settings, value in
        guard case .text(let text) = value, text.count <= 200 else { return false }
        settings[keyPath: path] = text
        return true
      })
  }

  /// Creates an entry for a list of values with a text form.
  static func list<Value: LosslessStringConvertible & Sendable>(
    _ name: String, _ title: String, _ summary: String, _ path: any WritableKeyPath<Settings, [Value]> & Sendable,
    of form: String, isAllowed: @escaping @Sendable (Value) -> Bool = { _ in true }
  ) -> SettingEntry {
    SettingEntry(
      name: name, title: title, summary: summary, kind: .list(form), authority: .user,
      value: { .list($0[keyPath: path].map(\.description)) },
      assign: { settings, value in
        guard case .list(let texts) = value else { return false }
        let values = texts.compactMap { Value($0) }
        guard values.count == texts.count, values.allSatisfy(isAllowed) else { return false }
        settings[keyPath: path] = values
        return true
      })
  }

  /// Creates an entry for a field that can be collected.
  static func field(_ field: CollectingFields, _ name: String, _ summary: String) -> SettingEntry {
    let words = name.split(separator: "_").map { ["os", "id"].contains($0) ? $0.uppercased() : String($0) }
    let title = words.joined(separator: " ")
    return SettingEntry(
      name: "fields." + name, title: title.prefix(1).uppercased() + title.dropFirst(), summary: summary, kind: .flag,
      authority: .user, value: { .flag($0.fields.contains(field)) },
      assign: { settings, value in
        guard case .flag(let isOn) = value else { return false }
        if isOn { settings.fields.insert(field) } else { settings.fields.remove(field) }
        return true
      })
  }
}
