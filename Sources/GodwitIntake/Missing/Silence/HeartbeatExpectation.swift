package import Foundation

/// How long a device may be silent before something is wrong, and why.
package struct HeartbeatExpectation: Sendable, Hashable {
  /// What it is reckoned from.
  package enum Basis: String, Sendable, Hashable, CaseIterable {
    /// The owner has said so.
    case owner
    /// Its settings turn sending or tracking off: no silence is too long.
    case off
    /// How it was heard in the days before.
    case rhythm
    /// How often its settings make it send.
    case settings
    /// It has said that it stays somewhere.
    case stay
    /// Nothing is known of it.
    case unknown
  }

  package var basis: Basis
  /// Seconds; `nil`: any silence is explained.
  package var threshold: TimeInterval?
  /// The silence that is usual, seconds; `nil`: not known.
  package var usual: TimeInterval?

  package init(basis: Basis, threshold: TimeInterval? = nil, usual: TimeInterval? = nil) {
    self.basis = basis
    self.threshold = threshold
    self.usual = usual
  }

  /// In words, after "heard 3 h ago; ".
  package var text: String {
    let longest = threshold.map { Self.words($0) } ?? ""
    switch basis {
    case .owner: return "silent after \(longest), as its owner says"
    case .off: return "its settings turn sending off"
    case .rhythm: return "usually heard within \(Self.words(usual ?? 0)) at this hour"
    case .settings: return "its settings let it send every \(Self.words(usual ?? 0))"
    case .stay: return "it stays where it is, and may be silent for \(longest)"
    case .unknown: return "not known well enough yet: silent after \(longest)"
    }
  }

  /// A span as a person says it: `40 s`, `12 min`, `3 h`, `2 days`.
  package static func words(_ seconds: TimeInterval) -> String {
    switch seconds {
    case ..<90: "\(Int(seconds.rounded())) s"
    case ..<5400: "\(Int((seconds / 60).rounded())) min"
    case ..<172_800: "\(Int((seconds / 3600).rounded())) h"
    default: "\(Int((seconds / 86400).rounded())) days"
    }
  }
}

/// What is known of how a device sends.
package struct Habits: Sendable, Hashable {
  /// An hour in which it was heard, and the longest silence that began in it.
  package struct Hour: Sendable, Hashable {
    /// Since 1970, in UTC, as ``hour`` is.
    package var day: Int64
    package var hour: Int
    /// Seconds; 0: none that is worth counting.
    package var longest: TimeInterval
  }

  /// What its app does, as far as it is known.
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
  /// It has said that it stays somewhere, and not yet that it has left.
  package var isStaying = false

  /// Days that are looked back.
  package static let days: Int64 = 21
  /// Days that must be known.
  package static let fewestDays = 3
  /// The part of the days on which a silence is as long as is usual, or shorter.
  package static let quantile = 0.9
  /// How much longer than usual a silence may be.
  package static let margin = 1.5
  /// No shorter silence is noticed, whatever is usual, and a longer one always is.
  package static let bounds: ClosedRange<TimeInterval> = 900...(14 * 86400)
  /// How many intervals of its settings a device may miss.
  package static let intervals = 6.0
  /// What nothing is known of, what sends after large movements only, and what stays, may be silent for so long.
  package static let day: TimeInterval = 86400

  /// What is to be expected after a contact.
  /// - Parameter contact: the last time that the device was heard.
  package func expectation(after contact: Date) -> HeartbeatExpectation {
    if mode == .off { return HeartbeatExpectation(basis: .off) }
    let usual = usual(after: contact)
    var expectation: HeartbeatExpectation
    if let usual {
      expectation = HeartbeatExpectation(basis: .rhythm, threshold: usual * Self.margin, usual: usual)
    } else if mode == .significant {
      expectation = HeartbeatExpectation(basis: .settings, threshold: Self.day, usual: Self.day)
    } else {
      expectation = HeartbeatExpectation(basis: .unknown, threshold: interval == nil ? Self.day : 0)
    }
    if let interval, interval * Self.intervals > expectation.threshold ?? 0 {
      expectation = HeartbeatExpectation(basis: .settings, threshold: interval * Self.intervals, usual: interval)
    }
    if isStaying, expectation.threshold ?? 0 < Self.day {
      expectation = HeartbeatExpectation(basis: .stay, threshold: Self.day, usual: usual)
    }
    expectation.threshold = expectation.threshold.map { min(max($0, Self.bounds.lowerBound), Self.bounds.upperBound) }
    return expectation
  }

  /// The silence that is usual after a contact: of each day the longest that began within an hour of that time of day; of these
  /// the one that nine days in ten do not pass. Where too few days are known at that time of day all hours count.
  private func usual(after contact: Date) -> TimeInterval? {
    let time = Int64(contact.timeIntervalSince1970.rounded(.down))
    let (today, hour) = (time / 86400, Int(time % 86400) / 3600)
    let known = hours.filter { $0.day > today - Self.days && $0.day <= today }
    let near = known.filter { [0, 1, 23].contains(abs($0.hour - hour)) }
    return Self.quantile(of: near) ?? Self.quantile(of: known)
  }

  private static func quantile(of hours: [Hour]) -> TimeInterval? {
    let longest = Dictionary(hours.map { ($0.day, $0.longest) }) { max($0, $1) }.values.sorted()
    guard longest.count >= fewestDays else { return nil }
    return longest[Int((quantile * Double(longest.count)).rounded(.up)) - 1]
  }
}
