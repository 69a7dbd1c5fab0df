public import GodwitEngine
public import GodwitModel
public import GodwitPhone
public import GodwitSimulator

public import struct Foundation.Date

/// A notice that a person saw.
public struct ShownNotice: Sendable, Hashable {
  /// The true time, whatever the phone's clock says.
  public var time: Date
  public var notice: Notice
}

/// Something that is not as it was expected.
public struct Failure: Sendable, Hashable, CustomStringConvertible {
  /// The expectation that is not met.
  public var expectation: Expectation
  /// What was there instead.
  public var found: String

  public var description: String {
    "\(expectation.line.map { "line \($0): " } ?? "")expected \(expectation.text), found \(found)"
  }
}

/// How a phone was at one moment.
public struct Snapshot: Sendable, Hashable {
  /// The time of the moment.
  public var time: SimulatedTime
  /// The state of the app: it runs, is suspended, or has ended.
  public var app: Expectation.AppState
  /// What happened since the beginning, as numbers.
  public var counts: RunLog.Counts
  /// Joules used over the phone's own standby since the beginning.
  public var joules: Double
}

/// What became of a scenario.
public struct Outcome: Sendable, CustomStringConvertible {
  /// The scenario that was run.
  public let scenario: Scenario
  /// The system that it was run on.
  public let system: SystemVersion
  /// What was recorded, what it cost, and how it went.
  public let log: RunLog
  public let track: Track
  /// What the server has, each record once, in the order in which it came.
  public let arrived: [Record]
  /// Records that the server was sent although it had them.
  public let sentAgain: Int
  public let notices: [ShownNotice]
  /// The beginning, the end, and the moments that were asked about.
  public let moments: [Snapshot]
  /// What is not as it was expected; none: all is well.
  public internal(set) var failures: [Failure] = []

  /// For the message of a failed test.
  public var description: String {
    let head = "\(scenario) on \(system.rawValue)"
    guard !failures.isEmpty else { return "\(head): as expected" }
    return "\(head):\n" + failures.map { "  \($0)" }.joined(separator: "\n")
  }

  /// The positions that arrived at the server.
  public var arrivedTrack: Track { Track(arrived.compactMap(\.fix)) }

  /// How it was at a moment; the nearest one before it that was asked about.
  /// - Parameter time: the moment.
  public func snapshot(_ time: SimulatedTime) -> Snapshot {
    // The first one is that of the beginning, and always there.
    moments.last { $0.time <= time } ?? moments[0]
  }
}

extension Record {
  var fix: Fix? { if case .fix(let fix) = kind { fix } else { nil } }
}
