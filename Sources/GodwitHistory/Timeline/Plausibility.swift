internal import GodwitModel

/// What makes a point impossible. The live position and the timeline decide by the same rules.
enum Plausibility {
  /// Faster is impossible, metres per second: see ``MotionMeter``.
  package static let fastest: MetersPerSecond = 340
  /// Milliseconds that a point may be ahead of its arrival. Clocks with a wrong time zone are ahead by less.
  package static let ahead: Int64 = 86_400_000

  /// Whether a place is 0° N 0° E, which receivers report that know nothing. 1e-7 degrees.
  static func isNullIsland(latitude: Int64, longitude: Int64) -> Bool { latitude == 0 && longitude == 0 }

  /// Why a point is impossible by itself, without a look at others.
  /// - Parameters:
  ///   - time: of the point, milliseconds since 1970.
  ///   - latitude: 1e-7 degrees.
  ///   - longitude: 1e-7 degrees.
  ///   - received: when it came, milliseconds since 1970.
  package static func reason(time: Int64, latitude: Int64, longitude: Int64, received: Int64) -> OutlierFilter.Reason? {
    if isNullIsland(latitude: latitude, longitude: longitude) { return .nowhere }
    let (early, isTooMuch) = time.subtractingReportingOverflow(received)
    return isTooMuch ? (time > received ? .future : nil) : early > ahead ? .future : nil
  }

  /// Whether nothing that takes passengers gets from one point to the other in the time between them.
  static func isImpossible(_ a: TimelinePoint, _ b: TimelinePoint) -> Bool {
    let seconds = abs(b.seconds(since: a))
    return a.distance(to: b) - Double(a.accuracy) - Double(b.accuracy) > fastest * max(0.5, seconds)
  }

  /// Whether a point shows that a jump was none: it can be reached from where the device was before, and not from the jump, or it
  /// is nearer to where the device was.
  /// - Parameters:
  ///   - jump: a point that cannot be reached from `last`.
  ///   - point: a later one.
  ///   - last: the point before the jump.
  static func isRefuted(_ jump: TimelinePoint, by point: TimelinePoint, after last: TimelinePoint) -> Bool {
    !isImpossible(last, point) && (isImpossible(jump, point) || last.distance(to: point) < jump.distance(to: point))
  }
}
