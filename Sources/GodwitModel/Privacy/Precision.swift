#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The precision of a shared position.
public enum Precision: Sendable, Hashable, Codable {
  case exact
  /// Degrees rounded to a number of decimals, 0…7: 3 is about 100 m, 2 about 1 km.
  case rounded(decimals: Int)
  /// The centre of a grid cell with this side in metres, at least 10. The cells are fixed, so that averaging many positions reveals
  /// only the cell. Speed, course and altitude are removed, because a series of them would reveal more. The wifi network is
  /// removed, because there are maps of networks.
  case grid(Meters)

  /// Returns the record with this precision.
  public func applied(to record: Record) -> Record {
    guard self != .exact else { return record }
    var record = record
    switch record.kind {
    case .fix(let fix): record.kind = .fix(applied(to: fix))
    case .visit(var visit):
      let reported = place(visit.coordinate)
      visit.coordinate = reported.coordinate
      visit.horizontalAccuracy = max(visit.horizontalAccuracy ?? 0, reported.uncertainty)
      record.kind = .visit(visit)
    case .trip(var trip):
      trip.startFix = trip.startFix.map(applied)
      trip.endFix = trip.endFix.map(applied)
      record.kind = .trip(trip)
    case .region(var event):
      // The region is kept: it is the content of the event.
      if let reported = event.coordinate.map(place) {
        event.coordinate = reported.coordinate
        event.horizontalAccuracy = max(event.horizontalAccuracy ?? 0, reported.uncertainty)
      }
      record.kind = .region(event)
    case .action(var action):
      action.coordinate = action.coordinate.map { place($0).coordinate }
      record.kind = .action(action)
    }
    if case .grid = self { (record.context.wifi, record.context.wifiBSSID) = (nil, nil) }
    return record
  }

  /// Returns the fix with this precision.
  package func applied(to fix: Fix) -> Fix {
    // An unknown accuracy stays unknown.
    if case .exact = self { return fix }
    var fix = fix
    let reported = place(fix.coordinate)
    fix.coordinate = reported.coordinate
    fix.horizontalAccuracy = max(fix.horizontalAccuracy ?? 0, reported.uncertainty)
    if case .grid = self {
      (fix.altitude, fix.verticalAccuracy) = (nil, nil)
      (fix.speed, fix.speedAccuracy, fix.course, fix.courseAccuracy) = (nil, nil, nil, nil)
    }
    return fix
  }

  /// Metres of one degree of latitude.
  private static let degree = GreatCircle.earthRadius * .pi / 180

  /// Returns the position to share, and its maximum distance from the real one in metres.
  private func place(_ place: Coordinate) -> (coordinate: Coordinate, uncertainty: Meters) {
    switch self {
    case .exact: return (place, 0)
    case .rounded(let decimals):
      let scale = PowersOfTen.value(decimals)
      // Valid: the ends of both ranges are whole numbers, so that rounding does not exceed them.
      let rounded = Coordinate(
        latitude: (place.latitude * scale).rounded() / scale, longitude: (place.longitude * scale).rounded() / scale)
      return (rounded ?? Self.nullIsland, Self.degree / scale * Self.halfDiagonal)
    case .grid(let size):
      // At most half of the earth's circumference, and at least the accuracy of a receiver. `size` is the second argument of `max`
      // and `min`, which then return the other one if it is NaN.
      let size = min(180 * Self.degree, max(10, size))
      let rows = (180 * Self.degree / size).rounded(.up)
      let row = min(rows - 1, ((place.latitude + 90) / 180 * rows).rounded(.down))
      let latitude = (row + 0.5) / rows * 180 - 90
      // The number of columns in a row is chosen so that a cell is about as wide as it is high.
      let columns = max(1, (360 * Self.degree * cos(latitude * .pi / 180) / size).rounded(.up))
      let column = min(columns - 1, ((place.longitude + 180) / 360 * columns).rounded(.down))
      // Valid: the centre of a part of the range.
      let center = Coordinate(latitude: latitude, longitude: (column + 0.5) / columns * 360 - 180) ?? Self.nullIsland
      // A cell is widest at the side towards the equator, which differs much from its middle only near a pole. If a cell is a
      // triangle or surrounds the pole, no corner is farther away than half a row and half the width of that side.
      let edge = max(0, abs(latitude) - 90 / rows)
      let width = 360 * Self.degree * cos(edge * .pi / 180) / columns
      let height = 180 * Self.degree / rows
      return (center, max(size * Self.halfDiagonal, (width * width + height * height).squareRoot() / 2))
    }
  }

  /// Half the diagonal of a square of side 1, rounded up.
  private static let halfDiagonal = 0.7072

  /// Fallback for an invalid cell: 0, 0 instead of the exact position.
  // Valid: both are zero.
  private static let nullIsland = Coordinate(latitude: 0, longitude: 0)!
}

private enum PowersOfTen {
  static func value(_ decimals: Int) -> Double { [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7][min(7, max(0, decimals))] }
}
