public import CoreLocation
public import GodwitModel
public import GodwitPhone
public import GodwitSimulator

/// A day of a phone's user with its hazards, and the conditions that the app must meet.
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
/// `Documentation/Scenarios.md` documents all lines.
public struct Scenario: Sendable, CustomStringConvertible {
  /// A short description.
  public var title = ""
  /// Sources of the observation: issues, forum threads, documentation.
  public var evidence: [String] = []
  /// The systems on which the scenario is run.
  public var systems: [SystemVersion] = [.usual]
  /// Movement of the phone.
  public var route = Route()
  /// Settings of the tracker. Notices are on unless the scenario turns them off.
  public var settings = Self.usualSettings
  /// Seed of the random numbers. The same seed gives the same outcome.
  public var seed: UInt64 = 1
  /// Networks over time; `nil` for the networks along the track.
  public var network: NetworkScript?
  public var hazards = HazardScript()
  /// Beacons along the track.
  public var beacons: [SimulatedBeacon] = []
  /// The app's declarations in its `Info.plist`.
  public var declarations = AppDeclarations()
  /// Initial battery level, 0…1.
  public var batteryLevel = 1.0
  public var response = SimulatedPhone.PermissionResponse.always
  /// Seconds until the user puts the app into the background; the app is open at the start. `nil` to leave this to the hazards.
  public var closesAfter: Double? = 5
  public var expectations: [Expectation] = []
  /// Name of the file, if the scenario was read from one.
  public internal(set) var file: String?

  static let usualSettings: Settings = {
    var settings = Settings()
    settings.notifies = true
    return settings
  }()

  public init() {}

  /// The end of the route, or the last time of a hazard or an expectation if that is later.
  public var end: SimulatedTime {
    let named = expectations.flatMap(\.check.times) + hazards.lines.map { route.start + $0.after }
    return max(route.end, named.max() ?? route.end)
  }

  public var description: String { [file, title].compactMap(\.self).joined(separator: ": ") }
}

/// An error in the text of a scenario, with its place and the permitted values.
public struct ScenarioError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String
}
