/// A named collection policy: settings for a comparison with other policies.
public struct Policy: Sendable, Hashable {
  /// Name in commands and reports: "adaptive".
  public var name: String
  /// Description in one sentence.
  public var summary: String
  public var settings: Settings

  /// - Parameters:
  ///   - name: Name in commands and reports.
  ///   - summary: Description in one sentence.
  ///   - settings: Settings of the tracker.
  public init(name: String, summary: String, settings: Settings) {
    self.name = name
    self.summary = summary
    self.settings = settings
  }

  /// The named policies, the reference first. Types A to D are from the article on round-the-clock location whose chart compares
  /// their energy.
  public static let all: [Policy] = [
    Policy("always-best", "Best accuracy at all times; records every fix.", preset: nil) { $0.main.desiredAccuracy = .best },
    Policy(.batterySaving), Policy(.highResolution), Policy(.adaptive),
    Policy(
      "two-state",
      "Exact while moving, with a fix every 10 m or more depending on speed; off at rest, until the device leaves a region of 200 m.",
      preset: nil
    ) {
      $0.main.policy = .twoState
      $0.main.desiredAccuracy = .best
      $0.main.activityType = .otherNavigation
    },
    Policy("article-a", "Type A of the article: best accuracy at all times.", preset: nil) {
      $0.main.desiredAccuracy = .best
      $0.main.trackingMode = .both
    },
    Policy("article-b", "Type B of the article: best accuracy, a fix every 10 m.", preset: nil) {
      $0.main.policy = .filtered
      $0.main.desiredAccuracy = .best
      $0.main.trackingMode = .both
    },
    Policy(
      "article-c",
      "Type C of the article: 10 m and a fix every 10 m while the motion chip detects motion, otherwise 3 "
        + "km.", preset: nil
    ) {
      $0.main.policy = .byMotion
      $0.main.desiredAccuracy = .tenMeters
      $0.main.trackingMode = .both
    },
    Policy("article-d", "Type D of the article: no location is requested.", preset: nil) { $0.main.trackingMode = .off },
  ]

  /// Returns the policy with a name; `nil` if there is none.
  /// - Parameter name: A name in ``all``.
  public static func named(_ name: String) -> Policy? { all.first { $0.name == name } }

  private init(_ name: String, _ summary: String, preset: Preset?, _ change: (inout Settings) -> Void) {
    var settings = Settings()
    if let preset { settings.apply(preset) }
    change(&settings)
    self.init(name: name, summary: summary, settings: settings)
  }

  private init(_ preset: Preset) {
    let name = String(preset.rawValue.map { $0 == "_" ? "-" : $0 })
    self.init(name, preset.summary, preset: preset) { _ in }
  }
}
