internal import GodwitModel

/// The criteria for outliers of live positions and of the timeline.
enum Plausibility {
  /// The impossible speed in m/s: see ``MotionMeter``.
  package static let fastest: MetersPerSecond = 340
  /// The maximum time in milliseconds by which a point may be ahead of its receipt. A wrong time zone causes less.
  package static let ahead = DayLength.milliseconds

  /// Returns whether a position in 1e-7 degrees is 0° N 0° E, which receivers report without a fix.
  static func isNullIsland(latitude: Int64, longitude: Int64) -> Bool { latitude == 0 && longitude == 0 }

  /// Returns the reason why a point is an outlier regardless of other points; `nil` if there is none.
  /// - Parameters:
  ///   - time: the time of the point, milliseconds since 1970.
  ///   - latitude: 1e-7 degrees.
  ///   - longitude: 1e-7 degrees.
  ///   - received: the time of receipt, milliseconds since 1970.
  package static func reason(time: Int64, latitude: Int64, longitude: Int64, received: Int64) -> OutlierFilter.Reason? {
    if isNullIsland(latitude: latitude, longitude: longitude) { return .nullIsland }
    let (early, isTooMuch) = time.subtractingReportingOverflow(received)
    return isTooMuch ? (time > received ? .future : nil) : early > ahead ? .future : nil
  }

  /// Returns whether no passenger vehicle can move from one point to the other in the time between them.
  static func isImpossible(_ a: TimelinePoint, _ b: TimelinePoint) -> Bool {
    let seconds = abs(b.seconds(since: a))
    return a.distance(to: b) - Double(a.accuracy) - Double(b.accuracy) > fastest * max(0.5, seconds)
  }

  /// Returns whether a point refutes a jump: it is reachable from the place before the jump, and is not reachable from the jump or
  /// is nearer to the place before it.
  /// - Parameters:
  ///   - jump: a point that is not reachable from `last`.
  ///   - point: a point after the jump.
  ///   - last: the point before the jump.
  static func isRefuted(_ jump: TimelinePoint, by point: TimelinePoint, after last: TimelinePoint) -> Bool {
    !isImpossible(last, point) && (isImpossible(jump, point) || last.distance(to: point) < jump.distance(to: point))
  }
}
