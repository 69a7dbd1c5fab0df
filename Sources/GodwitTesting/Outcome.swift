public import GodwitEngine
public import GodwitModel
public import GodwitPhone
public import GodwitSimulator

public import struct Foundation.Date

/// A notice that the user saw.
public struct ShownNotice: Sendable, Hashable {
  /// The true time, independent of the phone's clock.
  public var time: Date
  public var notice: Notice
}

/// An expectation that is not met.
public struct Failure: Sendable, Hashable, CustomStringConvertible {
  /// The expectation.
  public var expectation: Expectation
  /// The actual result.
  public var found: String

  public var description: String {
    "\(expectation.line.map { "line \($0): " } ?? "")expected \(expectation.text), found \(found)"
  }
}

/// State of a phone at one time.
public struct Snapshot: Sendable, Hashable {
  /// The time of the snapshot.
  public var time: SimulatedTime
  /// State of the app.
  public var app: Expectation.AppState
  /// Counts of events since the start.
  public var counts: RunLog.Counts
  /// Joules used since the start, without the phone's standby.
  public var joules: Double
}

/// Result of a scenario.
public struct Outcome: Sendable, CustomStringConvertible {
  /// The scenario that was run.
  public let scenario: Scenario
  /// The system on which the scenario was run.
  public let system: SystemVersion
  /// Records, energy and counts of the run.
  public let log: RunLog
  public let track: Track
  /// Records on the server without duplicates, in the order of arrival.
  public let arrived: [Record]
  /// Number of records that the server received more than once.
  public let sentAgain: Int
  public let notices: [ShownNotice]
  /// Snapshots at the start, at the end, and at the times of the expectations.
  public let moments: [Snapshot]
  /// Expectations that are not met; empty if all are met.
  public internal(set) var failures: [Failure] = []

  /// Text for the message of a failed test.
  public var description: String {
    let head = "\(scenario) on \(system.rawValue)"
    guard !failures.isEmpty else { return "\(head): as expected" }
    return "\(head):\n" + failures.map { "  \($0)" }.joined(separator: "\n")
  }

  /// The track of the positions on the server.
  public var arrivedTrack: Track { Track(arrived.compactMap(\.fix)) }

  /// Returns the snapshot at a time, or the nearest earlier one.
  /// - Parameter time: The time.
  public func snapshot(_ time: SimulatedTime) -> Snapshot {
    // The first snapshot is at the start and always exists.
    moments.last { $0.time <= time } ?? moments[0]
  }
}

extension Record {
  var fix: Fix? { if case .fix(let fix) = kind { fix } else { nil } }
}
