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
    /// Nothing is known.
    case unknown
  }

  package var origin: Origin
  /// Seconds; `nil`: unlimited.
  package var threshold: TimeInterval?
  /// The usual seconds without contact; `nil`: unknown.
  package var usual: TimeInterval?

  package init(origin: Origin, threshold: TimeInterval? = nil, usual: TimeInterval? = nil) {
    self.origin = origin
    self.threshold = threshold
    self.usual = usual
  }

  /// The reason as text, after "heard 3 h ago; ".
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

  /// A duration as text: `40 s`, `12 min`, `3 h`, `2 days`.
  package static func describe(_ seconds: TimeInterval) -> String {
    switch seconds {
    case ..<90: "\(Int(seconds.rounded())) s"
    case ..<5400: "\(Int((seconds / 60).rounded())) min"
    case ..<172_800: "\(Int((seconds / 3600).rounded())) h"
    default: "\(Int((seconds / DayLength.seconds).rounded())) days"
    }
  }
}

/// What is known about how a device sends.
package struct Habits: Sendable, Hashable {
  /// An hour with contacts, and the longest pause that began in it.
  package struct Hour: Sendable, Hashable {
    /// Since 1970, in UTC, as ``hour`` is.
    package var day: Int64
    package var hour: Int
    /// Seconds; 0: no relevant pause.
    package var maximum: TimeInterval
  }

  /// The mode of the app, if known.
  package enum Mode: Sendable, Hashable {
    case off
    /// Only after large movements.
    case significant
    case moving
  }

  package var hours: [Hour] = []
  /// Seconds between two uploads.
  package var interval: TimeInterval?
  package var mode: Mode?
  /// The device reported a stay and not yet its end.
  package var isStaying = false

  /// Days of history that are used.
  package static let days: Int64 = 21
  /// Minimum days of history.
  package static let fewestDays = 3
  /// The quantile of days whose pause counts as usual.
  package static let quantile = 0.9
  /// The factor by which a pause may exceed the usual one.
  package static let margin = 1.5
  /// Bounds of the threshold, regardless of the usual pause.
  package static let bounds: ClosedRange<TimeInterval> = 900...(14 * DayLength.seconds)
  /// Intervals of its settings that a device may miss.
  package static let intervals = 6.0
  /// The threshold for unknown devices, for devices that send only after large movements, and for stays.
  package static let day = DayLength.seconds

  /// The expectation after a contact.
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

  /// The usual pause after a contact: the 90 % quantile over days of the longest pause that began within an hour of
  /// that time of day. With too few days at that time of day all hours count.
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
