package import Foundation
internal import GodwitModel

/// How long a device may be without contact before it counts as offline, and why.
package struct HeartbeatExpectation: Sendable, Hashable {
  /// The basis of the threshold.
  package enum Origin: String, Sendable, Hashable, Codable, CaseIterable {
    /// A user set it.
    case user
    /// Settings turn sending or tracking off: any time without contact is expected.
    case off
    /// The contacts of previous days.
    case rhythm
    /// The interval of the device's settings.
    case settings
    /// The device reported a stay.
    case stay
    /// Too little is known about the device.
    case unknown
  }

  package var origin: Origin
  /// Seconds; `nil`: unlimited.
  package var threshold: TimeInterval?
  /// The usual pause between two contacts in seconds; `nil`: unknown.
  package var usual: TimeInterval?

  package init(origin: Origin, threshold: TimeInterval? = nil, usual: TimeInterval? = nil) {
    self.origin = origin
    self.threshold = threshold
    self.usual = usual
  }

  /// The reason as text, for use after "last contact 3 h ago; ".
  package var text: String {
    let maximum = threshold.map { Self.describe($0) } ?? ""
    switch origin {
    case .user: return "offline after \(maximum), as configured"
    case .off: return "its settings turn sending off"
    case .rhythm: return "usually reports within \(Self.describe(usual ?? 0)) at this hour"
    case .settings: return "its settings send every \(Self.describe(usual ?? 0))"
    case .stay: return "stationary; no data expected for \(maximum)"
    case .unknown: return "learning its rhythm: alert after \(maximum)"
    }
  }

  /// Returns a duration as text: `40 s`, `12 min`, `3 h`, `2 days`.
  package static func describe(_ seconds: TimeInterval) -> String {
    switch seconds {
    case ..<90: "\(Int(seconds.rounded())) s"
    case ..<5400: "\(Int((seconds / 60).rounded())) min"
    case ..<172_800: "\(Int((seconds / 3600).rounded())) h"
    default: "\(Int((seconds / DayLength.seconds).rounded())) days"
    }
  }
}

/// The facts from which a device's next contact is predicted.
package struct Habits: Sendable, Hashable {
  /// An hour of one day with contacts, and the longest pause that began in it.
  package struct Hour: Sendable, Hashable {
    /// The day since 1970 in UTC. ``hour`` is in UTC, too.
    package var day: Int64
    package var hour: Int
    /// The longest pause in seconds; 0: no relevant pause.
    package var maximum: TimeInterval
  }

  /// The tracking mode of the app.
  package enum Mode: Sendable, Hashable {
    case off
    /// The app sends only after large movements.
    case significant
    case moving
  }

  package var hours: [Hour] = []
  /// The interval in the settings between two uploads, in seconds.
  package var interval: TimeInterval?
  package var mode: Mode?
  /// Whether the device reported a stay but not its end.
  package var isStaying = false

  /// Number of days of history that are used.
  package static let days: Int64 = 21
  /// Minimum number of days with contacts from which a rhythm is learned.
  package static let fewestDays = 3
  /// The quantile of the days' longest pauses that counts as usual.
  package static let quantile = 0.9
  /// The factor by which a pause may exceed the usual pause.
  package static let margin = 1.5
  /// Bounds of a computed threshold in seconds.
  package static let bounds: ClosedRange<TimeInterval> = 900...(14 * DayLength.seconds)
  /// Number of upload intervals after which a device counts as offline.
  package static let intervals = 6.0
  /// The threshold in seconds for unknown devices, for devices that send only after large movements, and for stays.
  package static let day = DayLength.seconds

  /// Returns the expectation after a contact.
  /// - Parameter contact: the last contact of the device.
  package func expectation(after contact: Date) -> HeartbeatExpectation {
    if mode == .off { return HeartbeatExpectation(origin: .off) }
    let usual = usual(after: contact)
    var expectation: HeartbeatExpectation
    if let usual {
      expectation = HeartbeatExpectation(origin: .rhythm, threshold: usual * Self.margin, usual: usual)
    } else if mode == .significant {
      expectation = HeartbeatExpectation(origin: .settings, threshold: Self.day, usual: Self.day)
    } else {
      expectation = HeartbeatExpectation(origin: .unknown, threshold: interval == nil ? Self.day : 0)
    }
    if let interval, interval * Self.intervals > expectation.threshold ?? 0 {
      expectation = HeartbeatExpectation(origin: .settings, threshold: interval * Self.intervals, usual: interval)
    }
    if isStaying, expectation.threshold ?? 0 < Self.day {
      expectation = HeartbeatExpectation(origin: .stay, threshold: Self.day, usual: usual)
    }
    expectation.threshold = expectation.threshold.map { min(max($0, Self.bounds.lowerBound), Self.bounds.upperBound) }
    return expectation
  }

  /// The usual pause after a contact in seconds: the 90 % quantile, over days, of the longest pause that began within an hour of
  /// that time of day. If too few days have contacts at that time of day, all hours are used. `nil` if there are too few days.
  private func usual(after contact: Date) -> TimeInterval? {
    let time = Int64(contact.timeIntervalSince1970.rounded(.down))
    let (today, hour) = (time / DayLength.wholeSeconds, Int(time % DayLength.wholeSeconds) / 3600)
    let known = hours.filter { $0.day > today - Self.days && $0.day <= today }
    let near = known.filter { [0, 1, 23].contains(abs($0.hour - hour)) }
    return Self.quantile(of: near) ?? Self.quantile(of: known)
  }

  private static func quantile(of hours: [Hour]) -> TimeInterval? {
    let maximum = Dictionary(hours.map { ($0.day, $0.maximum) }) { max($0, $1) }.values.sorted()
    guard maximum.count >= fewestDays else { return nil }
    return maximum[Int((quantile * Double(maximum.count)).rounded(.up)) - 1]
  }
}
