internal import GodwitModel

/// The criteria of outliers, shared by live positions and the timeline.
enum Plausibility {
  /// Impossible speed in metres per second: see ``MotionMeter``.
  package static let fastest: MetersPerSecond = 340
  /// Maximum milliseconds that a point may be ahead of its receipt. A wrong time zone causes less.
  package static let ahead = DayLength.milliseconds

  /// Whether a place is 0° N 0° E, which receivers report without a fix. In 1e-7 degrees.
  static func isNullIsland(latitude: Int64, longitude: Int64) -> Bool { latitude == 0 && longitude == 0 }

  /// The reason why a point is an outlier regardless of others.
  /// - Parameters:
  ///   - time: of the point, milliseconds since 1970.
  ///   - latitude: 1e-7 degrees.
  ///   - longitude: 1e-7 degrees.
  ///   - received: time of receipt, milliseconds since 1970.
  package static func reason(time: Int64, latitude: Int64, longitude: Int64, received: Int64) -> OutlierFilter.Reason? {
    if isNullIsland(latitude: latitude, longitude: longitude) { return .nullIsland }
    let (early, isTooMuch) = time.subtractingReportingOverflow(received)
    return isTooMuch ? (time > received ? .future : nil) : early > ahead ? .future : nil
  }

  /// Whether no passenger vehicle gets from one point to the other in the time between them.
  static func isImpossible(_ a: TimelinePoint, _ b: TimelinePoint) -> Bool {
    let seconds = abs(b.seconds(since: a))
    return a.distance(to: b) - Double(a.accuracy) - Double(b.accuracy) > fastest * max(0.5, seconds)
  }

  /// Whether a point refutes a jump: it is reachable from the place before the jump and not from the jump, or it is
  /// nearer to the place before.
  /// - Parameters:
  ///   - jump: a point that is not reachable from `last`.
  ///   - point: a later one.
  ///   - last: the point before the jump.
  static func isRefuted(_ jump: TimelinePoint, by point: TimelinePoint, after last: TimelinePoint) -> Bool {
    !isImpossible(last, point) && (isImpossible(jump, point) || last.distance(to: point) < jump.distance(to: point))
  }
}
