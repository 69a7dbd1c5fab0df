public import CoreLocation
public import GodwitModel
public import GodwitPhone
public import GodwitSimulator

/// A person's route with a phone, the hazards on it, and what must be true of the app afterwards.
///
///     let scenario = try Scenario(
///       text: """
///         title      The app is killed on the way
///         policy     high_resolution
///         08:00      home
///         walk 40m   north
///         08:10      kill
///         08:20      open
///         expect     hole of at most 12m
///         expect     nothing lost
///         """)
///     let outcome = scenario.run(on: .ios18)
///     #expect(outcome.failures.isEmpty, "\(outcome)")
///
/// `Documentation/Scenarios.md` has every line that there is.
public struct Scenario: Sendable, CustomStringConvertible {
  /// What it is about, in a few words.
  public var title = ""
  /// Where it was observed: issues, forum threads, documentation.
  public var evidence: [String] = []
  /// The systems that it is run on.
  public var systems: [SystemVersion] = [.usual]
  /// The movement of the phone, and its days.
  public var route = Route()
  /// Of the tracker. Notices are on unless a scenario turns them off.
  public var settings = Self.usualSettings
  /// The seed of the random numbers: the same seed gives the same outcome.
  public var seed: UInt64 = 1
  /// The networks over time; `nil`: those along the way.
  public var network: NetworkScript?
  public var hazards = HazardScript()
  /// Beacons along the way.
  public var beacons: [SimulatedBeacon] = []
  /// What the app says about itself in its `Info.plist`.
  public var declarations = AppDeclarations()
  /// Of the battery in the beginning, 0…1.
  public var batteryLevel = 1.0
  public var response = SimulatedPhone.PermissionResponse.always
  /// Seconds until the person puts the app, which is open in the beginning, into the background; `nil`: that is left to the hazards.
  public var closesAfter: Double? = 5
  public var expectations: [Expectation] = []
  /// Name of its file, if it has one.
  public internal(set) var file: String?

  static let usualSettings: Settings = {
    var settings = Settings()
    settings.notifies = true
    return settings
  }()

  public init() {}

  /// When the last thing happens that it speaks of.
  public var end: SimulatedTime {
    let named = expectations.flatMap(\.check.times) + hazards.lines.map { route.start + $0.after }
    return max(route.end, named.max() ?? route.end)
  }

  public var description: String { [file, title].compactMap(\.self).joined(separator: ": ") }
}

/// What is wrong in the text of a scenario: where, what, and what may stand there.
public struct ScenarioError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String
}
