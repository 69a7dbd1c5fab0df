internal import Foundation
package import GodwitModel

/// Classifies motion from positions alone: it distinguishes standing, walking, running, cycling and driving by speed.
///
/// Activities with similar speeds are reported with a lower confidence, and a slow bus is classified as cycling until it was fast
/// once. Three rules prevent frequent changes (hysteresis): the speeds of one minute are evaluated and not a single one; another
/// activity must be detected for some time, which is longer for similar activities; and cycling after driving is accepted only
/// after a walk, a stop, or five slow minutes. The classifier reads no clock: its times are those of the positions.
package struct MotionClassifier: Sendable {
  package enum Kind: Sendable, Hashable, CaseIterable {
    case unknown, stationary, walking, running, cycling, automotive
  }

  package enum Confidence: Int, Sendable, Hashable, Comparable {
    case low, medium, high
    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  /// The detected activity since `start`.
  package struct Activity: Sendable, Hashable {
    package var kind: Kind
    /// Whether the device currently stands still during the activity, for example at a traffic light.
    package var isStill: Bool
    package var confidence: Confidence
    package var start: Date
  }

  // Limits in m/s. Typical speeds: walking 1.4 (Bohannon 1997), running 2.4–4, cycling in towns 4–6 and rarely above 11.
  static let still = 0.4
  static let walkingTop = 2.2
  static let runningTop = 3.6
  static let cyclingTop = 9.5
  static let cyclingPeak = 11.5
  /// The limits for cycling downhill, which apply after a ride of ``longRide`` seconds.
  static let descentTop = 13.0
  static let descentPeak = 17.0
  static let longRide = 900.0
  /// The length of the evaluated window in seconds. Of these, ``minimumKnown`` seconds must have a known speed.
  static let window = 60.0
  static let minimumKnown = 20.0
  /// The seconds over which a speed is computed if the receiver reports none. Over one second the noise would look like running.
  static let baseline = 8.0
  /// The seconds between two positions after which the motion is unknown.
  static let maximumGap = 150.0
  /// The number of successive positions that are not newer than the last one after which the clock counts as set back.
  static let maximumOld = 3
  /// The seconds of standing that end driving or cycling.
  static let maximumStop = 180.0
  /// The seconds after driving during which cycling is not accepted.
  static let drivingMemory = 300.0
  /// The maximum horizontal accuracy in metres of positions that are used.
  static let usableAccuracy: Meters = 100
  /// The maximum speed in m/s. It is higher than that of any vehicle on the ground; a higher speed is an outlier.
  static let fastest = 120.0

  private struct Sample {
    var time: Date
    var seconds: Double
    var speed: Double
  }

  package private(set) var activity: Activity?
  private var recent: [Fix] = []
  private var samples: [Sample] = []
  private var candidate: (kind: Kind, since: Date)?
  private var stillSince: Date?
  private var lastDriving: Date?
  /// The number of successive positions that are not newer than the last one.
  private var oldInARow = 0

  package init() {}

  /// Processes a position.
  /// - Returns: the activity, if it changed; otherwise `nil`.
  package mutating func handle(_ fix: Fix) -> Activity? {
    guard (fix.horizontalAccuracy ?? 0) <= Self.usableAccuracy else { return nil }
    guard let last = recent.last else {
      recent = [fix]
      return nil
    }
    let seconds = fix.time.timeIntervalSince(last.time)
    guard seconds > 0 else {
      // The clock was set back, or the last position had a time ahead.
      oldInARow += 1
      return oldInARow < Self.maximumOld ? nil : discard(fix)
    }
    oldInARow = 0
    if seconds > Self.maximumGap { return discard(fix) }
    guard let speed = speed(of: fix) else {
      recent.append(fix)
      return nil
    }
    recent.append(fix)
    recent.removeAll { fix.time.timeIntervalSince($0.time) > 2 * Self.baseline && $0 != fix }
    guard speed <= Self.fastest else { return nil }
    samples.append(Sample(time: fix.time, seconds: seconds, speed: speed))
    samples.removeAll { fix.time.timeIntervalSince($0.time) > Self.window && $0.time != fix.time }
    stillSince = speed < Self.still ? stillSince ?? last.time : nil
    return decide(at: fix.time)
  }

  /// Returns the speed that the receiver reports, or the speed over the last eight seconds or more; `nil`: unknown.
  private func speed(of fix: Fix) -> Double? {
    if let speed = fix.speed { return speed }
    guard
      let origin = recent.last(where: { fix.time.timeIntervalSince($0.time) >= Self.baseline })
        ?? (recent.count > 3 ? recent.first : nil)
    else { return nil }
    return GreatCircle.distance(origin.coordinate, fix.coordinate) / fix.time.timeIntervalSince(origin.time)
  }

  /// Resets the state after a long time without a position, in which the activity may have ended.
  private mutating func discard(_ fix: Fix) -> Activity? {
    self = MotionClassifier(after: self)
    recent = [fix]
    guard let before = activity, before.kind != .unknown else { return nil }
    activity = Activity(kind: .unknown, isStill: false, confidence: .low, start: fix.time)
    return activity
  }

  private init(after old: MotionClassifier) {
    activity = old.activity
    lastDriving = old.lastDriving
  }

  private mutating func decide(at now: Date) -> Activity? {
    let known = samples.reduce(0) { $0 + $1.seconds }
    guard known >= Self.minimumKnown else { return nil }
    let seen = classify(known, at: now)
    let before = activity
    guard let current = before, current.kind != .unknown else { return become(seen, at: now) }
    guard seen.kind != current.kind else {
      candidate = nil
      var same = current
      same.isStill = false
      same.confidence = max(current.confidence, seen.confidence)
      activity = same
      return same == before ? nil : same
    }
    if candidate?.kind != seen.kind { candidate = (seen.kind, now) }
    if let since = candidate?.since, now.timeIntervalSince(since) >= timeout(from: current, to: seen.kind, at: now) {
      return become(seen, at: now)
    }
    var same = current
    same.isStill = stillSince != nil && current.kind != .stationary
    activity = same
    return same == before ? nil : same
  }

  private mutating func become(_ seen: (kind: Kind, confidence: Confidence), at now: Date) -> Activity? {
    candidate = nil
    activity = Activity(kind: seen.kind, isStill: false, confidence: seen.confidence, start: now)
    if seen.kind == .automotive { lastDriving = now }
    return activity
  }

  /// Classifies the motion of the window.
  private mutating func classify(_ known: Double, at now: Date) -> (kind: Kind, confidence: Confidence) {
    let moving = samples.filter { $0.speed >= Self.still }.sorted { $0.speed < $1.speed }
    let time = moving.reduce(0) { $0 + $1.seconds }
    if time < 0.25 * known {
      // A long stop ends the memory of driving: after parking, cycling is possible.
      if let stillSince, now.timeIntervalSince(stillSince) >= Self.maximumStop { lastDriving = nil }
      return (.stationary, time < 0.1 * known ? .high : .medium)
    }
    let middle = Self.quantile(0.5, of: moving, time)
    let top = Self.quantile(0.9, of: moving, time)
    let ridesLong = activity.map { $0.kind == .cycling && now.timeIntervalSince($0.start) > Self.longRide } ?? false
    let kind: Kind =
      switch (middle, top) {
      case (..<Self.walkingTop, ..<Self.runningTop): .walking
      case (..<Self.runningTop, ..<(Self.runningTop + 1)): .running
      case (..<Self.cyclingTop, ..<Self.cyclingPeak): .cycling
      case (..<Self.descentTop, ..<Self.descentPeak) where ridesLong: .cycling
      default: .automotive
      }
    switch kind {
    case .automotive: if activity?.kind == .automotive { lastDriving = now }
    case .walking: if let driven = lastDriving, now.timeIntervalSince(driven) > Self.window { lastDriving = nil }
    // A cyclist can be as slow as a runner uphill.
    case .running where activity?.kind == .cycling: return (.cycling, .medium)
    case .cycling, .running:
      if let driven = lastDriving, now.timeIntervalSince(driven) < Self.drivingMemory { return (.automotive, .medium) }
    case .stationary, .unknown: break
    }
    return (kind, Self.confidence(kind, middle, top, isMinute: known >= Self.window / 2))
  }

  /// Returns the confidence: high for typical speeds of the activity, medium near the limits, low for a short window.
  private static func confidence(_ kind: Kind, _ middle: Double, _ top: Double, isMinute: Bool) -> Confidence {
    let isClear =
      switch kind {
      case .walking: middle > 0.7 && top < 2.4
      case .running: middle > 2.4 && middle < 3.2
      case .cycling: middle > 3.6 && top < 9.5
      case .automotive: top > 12.5
      case .stationary, .unknown: true
      }
    guard isMinute else { return .low }
    return isClear ? .high : .medium
  }

  /// Returns the seconds for which another activity must be detected before it is reported.
  private func timeout(from old: Activity, to new: Kind, at now: Date) -> Double {
    switch (old.kind, new) {
    case (.automotive, .stationary), (.cycling, .stationary): Self.maximumStop - Self.window
    case (_, .stationary): 20
    case (.cycling, .walking), (.automotive, .cycling), (.automotive, .running): 60
    case (.running, .cycling), (.automotive, .walking): 45
    // A long ride may go downhill for two minutes; a short ride was probably a slow bus.
    case (.cycling, .automotive): min(120, 20 + now.timeIntervalSince(old.start) / 20)
    default: 20
    }
  }

  /// Returns a quantile of the speeds, weighted by time, so that a burst of positions counts no more than a single position.
  private static func quantile(_ share: Double, of sorted: [Sample], _ total: Double) -> Double {
    var passed = 0.0
    for sample in sorted {
      passed += sample.seconds
      if passed >= share * total { return sample.speed }
    }
    return sorted.last?.speed ?? 0
  }
}
