extension Settings {
  /// Every setting, once.
  public static let table: [SettingEntry] = [
    choice(
      "send_interval", "How often what waits is sent; off sends only by hand.", \.sendInterval,
      [
        ("1s", 1), ("5s", 5), ("10s", 10), ("15s", 15), ("30s", 30), ("1m", 60), ("2m", 120), ("5m", 300),
        ("10m", 600), ("30m", 1800), ("off", nil),
      ]),
    word("main.tracking_mode", "Which location service runs.", \.main.trackingMode),
    word("main.desired_accuracy", "How exact the location services are asked to be.", \.main.desiredAccuracy),
    word("main.activity_type", "A hint to the location services when to pause.", \.main.activityType),
    choice(
      "main.min_distance", "Fixes nearer than this to the last kept one are dropped.", \.main.minimumDistance,
      [("off", nil), ("1m", 1), ("10m", 10), ("50m", 50), ("100m", 100), ("500m", 500)]),
    choice(
      "main.min_time", "Fixes sooner than this after the last kept one are dropped; 1s keeps all.",
      \.main.minimumTime, [("1s", 1), ("5s", 5), ("10s", 10), ("30s", 30), ("1m", 60), ("5m", 300)]),
    number("main.batch_size", "Records in one request.", \.main.batchSize, [50, 100, 200, 500, 1000]),
    flag(
      "main.pause_automatically", "Whether the system may pause updates that seem useless.",
      \.main.pausesAutomatically),
    flag(
      "main.background_indicator", "Whether the system shows that location is used in the background.",
      \.main.showsBackgroundIndicator),
    choice(
      "retention", "How long a record that cannot be delivered is kept.", \.retention,
      [("1d", 86400), ("10d", 864_000), ("30d", 2_592_000), ("365d", 31_536_000)], authority: .owner),
    text("device_id", "Your name for the device, in every record.", \.deviceID),
    flag("unique_id", "Whether the device's own identifier is in every record.", \.includesUniqueID, authority: .owner),
    flag(
      "success_2xx", "Whether any answer of 2xx means success, without {\"result\":\"ok\"}.", \.acceptsAny2xx,
      authority: .owner),
  ]

  // The makers of entries. A key path to a property of a value is safe to share: it holds no state.

  private static func choice<Value: Hashable & Sendable>(
    _ name: String, _ summary: String, _ path: any WritableKeyPath<Settings, Value> & Sendable,
    _ choices: [(String, Value)],
    authority: SettingEntry.Authority = .ownerAndServer
  ) -> SettingEntry {
    SettingEntry(
      name: name, summary: summary, allowed: choices.map(\.0).joined(separator: " | "), authority: authority,
      value: { settings in
        .text(choices.first { $0.1 == settings[keyPath: path] }?.0 ?? "")
      },
      assign: { settings, value in
        guard case .text(let word) = value, let choice = choices.first(where: { $0.0 == word }) else { return false }
        settings[keyPath: path] = choice.1
        return true
      })
  }

  private static func word<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ summary: String, _ path: any WritableKeyPath<Settings, Value> & Sendable
  ) -> SettingEntry {
    SettingEntry(
      name: name, summary: summary, allowed: Value.allCases.map(\.rawValue).joined(separator: " | "),
      authority: .ownerAndServer, value: { .text($0[keyPath: path].rawValue) },
      assign: { settings, value in
        guard case .text(let word) = value, let known = Value(rawValue: word) else { return false }
        settings[keyPath: path] = known
        return true
      })
  }

  private static func number(
    _ name: String, _ summary: String, _ path: any WritableKeyPath<Settings, Int> & Sendable, _ allowed: [Int]
  ) -> SettingEntry {
    SettingEntry(
      name: name, summary: summary, allowed: allowed.map(String.init).joined(separator: " | "),
      authority: .ownerAndServer, value: { .number(Double($0[keyPath: path])) },
      assign: { settings, value in
        let number: Int? =
          switch value {
          case .number(let number): Int(exactly: number)
          // A number in quotation marks is taken too: Overland's own servers send both.
          case .text(let text): Int(text)
          case .flag: nil
          }
        guard let number, allowed.contains(number) else { return false }
        settings[keyPath: path] = number
        return true
      })
  }

  private static func flag(
    _ name: String, _ summary: String, _ path: any WritableKeyPath<Settings, Bool> & Sendable,
    authority: SettingEntry.Authority = .ownerAndServer
  ) -> SettingEntry {
    SettingEntry(
      name: name, summary: summary, allowed: "true | false", authority: authority,
      value: { .flag($0[keyPath: path]) },
      assign: { settings, value in
        guard case .flag(let flag) = value else { return false }
        settings[keyPath: path] = flag
        return true
      })
  }

  private static func text(
    _ name: String, _ summary: String, _ path: any WritableKeyPath<Settings, String> & Sendable
  ) -> SettingEntry {
    SettingEntry(
      name: name, summary: summary, allowed: "a text of at most 200 characters", authority: .owner,
      value: { .text($0[keyPath: path]) },
      assign: { settings, value in
        guard case .text(let text) = value, text.count <= 200 else { return false }
        settings[keyPath: path] = text
        return true
      })
  }
}
