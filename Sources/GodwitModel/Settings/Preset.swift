/// Settings for a purpose: those that Overland's documentation recommends, and one of Godwit's.
public enum Preset: String, Sendable, Hashable, Codable, CaseIterable {
  /// Up to a fix per second while moving; uses much energy.
  case highResolution = "high_resolution"
  /// Positions of the neighbourhood, and departures from home; uses little energy.
  case batterySaving = "battery_saving"
  /// Precise while moving and suspended at rest. Fixes are requested at the interval that the path needs. Positions, visits and a
  /// region detect the next departure. See Documentation/Adaptive.md.
  case adaptive

  /// A sentence for the user.
  public var summary: String {
    switch self {
    case .highResolution: "Up to a point a second while moving. Uses a lot of battery."
    case .batterySaving: "Rough area only; notices when you leave home. Uses hardly any battery."
    case .adaptive: "Precise while moving, off at rest; resumes when you leave a place."
    }
  }

  /// The values of the preset, by the names in the table of settings.
  public var values: [(name: String, value: SettingValue)] {
    switch self {
    case .highResolution:
      [
        ("main.policy", .text("fixed")), ("main.tracking_mode", .text("standard")), ("main.pause_automatically", .flag(false)),
        ("main.resume_with_geofence", .text("off")), ("main.activity_type", .text("other")),
        ("main.desired_accuracy", .text("best")),
      ]
    case .batterySaving:
      [
        ("main.policy", .text("fixed")), ("main.tracking_mode", .text("significant")), ("main.pause_automatically", .flag(true)),
        ("main.resume_with_geofence", .text("500m")), ("main.activity_type", .text("other")),
        ("main.desired_accuracy", .text("100m")),
      ]
    case .adaptive:
      [
        ("main.policy", .text("adaptive")), ("main.tracking_mode", .text("both")), ("main.visit_tracking", .flag(true)),
        ("main.pause_automatically", .flag(false)), ("main.resume_with_geofence", .text("off")),
        ("main.activity_type", .text("other")), ("main.desired_accuracy", .text("best")),
        ("main.batch_size", .number(1000)), ("send_interval", .text("3h")),
      ]
    }
  }
}

extension Settings {
  /// Sets the preset's values and leaves others unchanged.
  public mutating func apply(_ preset: Preset) {
    // Cannot fail: a test sets every value of each preset.
    for (name, value) in preset.values { try? set(name, to: value) }
  }

  /// The preset with the values of these settings, if any.
  public var preset: Preset? {
    Preset.allCases.first { preset in
      preset.values.allSatisfy { name, value in Self.entry(name)?.value(self) == value }
    }
  }
}
