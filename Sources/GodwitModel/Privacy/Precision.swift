#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How exactly somebody may know a place.
public enum Precision: Sendable, Hashable, Codable {
  case exact
  /// Degrees to so many decimals, 0…7: 3 is about 100 m, 2 about 1 km.
  case rounded(decimals: Int)
  /// The centre of a cell of so many metres, at least 10. The cells lie still: however often the device is told to
  /// be in one, and however that is averaged, nothing but the cell comes out. Speed, course and altitude are not
  /// told, because adding them up would.
  case grid(Meters)

  /// The record as exactly as may be.
  public func applied(to record: Record) -> Record {
    guard self != .exact else { return record }
    var record = record
    switch record.kind {
    case .fix(let fix): record.kind = .fix(applied(to: fix))
    case .visit(var visit):
      visit.coordinate = place(visit.coordinate)
      visit.horizontalAccuracy = max(visit.horizontalAccuracy ?? 0, uncertainty)
      record.kind = .visit(visit)
    case .trip(var trip):
      trip.startFix = trip.startFix.map(applied)
      trip.endFix = trip.endFix.map(applied)
      record.kind = .trip(trip)
    case .action(var action):
      action.coordinate = action.coordinate.map(place)
      record.kind = .action(action)
    }
    return record
  }

  private func applied(to fix: Fix) -> Fix {
    var fix = fix
    fix.coordinate = place(fix.coordinate)
    fix.horizontalAccuracy = max(fix.horizontalAccuracy ?? 0, uncertainty)
    if case .grid = self {
      (fix.altitude, fix.verticalAccuracy) = (nil, nil)
      (fix.speed, fix.speedAccuracy, fix.course, fix.courseAccuracy) = (nil, nil, nil, nil)
    }
    return fix
  }

  /// Metres of one degree of latitude.
  private static let degree = GreatCircle.earthRadius * .pi / 180

  /// Half a diagonal of the cell, metres.
  private var uncertainty: Meters {
    switch self {
    case .exact: 0
    case .rounded(let decimals): Self.degree / PowersOfTen.value(decimals) * 0.7072
    case .grid(let size): max(10, size) * 0.7072
    }
  }

  private func place(_ place: Coordinate) -> Coordinate {
    switch self {
    case .exact: return place
    case .rounded(let decimals):
      let scale = PowersOfTen.value(decimals)
      return Coordinate(
        latitude: (place.latitude * scale).rounded() / scale, longitude: (place.longitude * scale).rounded() / scale)
        ?? place
    case .grid(let size):
      let rows = (180 * Self.degree / max(10, size)).rounded(.up)
      let row = min(rows - 1, ((place.latitude + 90) / 180 * rows).rounded(.down))
      let latitude = (row + 0.5) / rows * 180 - 90
      // As many columns as fit at the middle of the row, so that a cell is as wide as it is high.
      let columns = max(1, (360 * Self.degree * cos(latitude * .pi / 180) / max(10, size)).rounded(.up))
      let column = min(columns - 1, ((place.longitude + 180) / 360 * columns).rounded(.down))
      return Coordinate(latitude: latitude, longitude: (column + 0.5) / columns * 360 - 180) ?? place
    }
  }
}

private enum PowersOfTen {
  static func value(_ decimals: Int) -> Double { [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7][min(7, max(0, decimals))] }
}
