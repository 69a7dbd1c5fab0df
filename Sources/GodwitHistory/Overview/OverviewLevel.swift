package import GodwitModel

/// A level of detail of an overview. Its lines deviate from the track by at most a tolerance.
///
/// There are seven levels. Each is four times as coarse as the previous one, so that a map gets at most four times as many vertices
/// as it needs. Coarse levels have many days per slot, so that a view of the world reads few rows.
package struct OverviewLevel: Sendable, Hashable {
  /// The number of the level; 0 is the finest.
  package let index: Int
  package let tolerance: Meters
  /// Number of days (UTC) in a slot. The lines of a slot are stored and computed together.
  let daysInSlot: Int64
  /// The unit of the encoding, in 1e-7 degrees.
  package let unit: Int32

  /// All levels, from the finest to the coarsest.
  package static let all = [
    OverviewLevel(index: 0, tolerance: 2, daysInSlot: 1, unit: 10),
    OverviewLevel(index: 1, tolerance: 8, daysInSlot: 1, unit: 10),
    OverviewLevel(index: 2, tolerance: 32, daysInSlot: 1, unit: 100),
    OverviewLevel(index: 3, tolerance: 128, daysInSlot: 32, unit: 100),
    OverviewLevel(index: 4, tolerance: 512, daysInSlot: 32, unit: 1000),
    OverviewLevel(index: 5, tolerance: 2048, daysInSlot: 1024, unit: 1000),
    OverviewLevel(index: 6, tolerance: 8192, daysInSlot: 1024, unit: 10_000),
  ]

  /// Returns the level for a map.
  /// - Parameter tolerance: the maximum deviation in metres. If it is smaller than that of all levels, the result is the finest level.
  static func forTolerance(_ tolerance: Meters) -> OverviewLevel { all.last { $0.tolerance <= tolerance } ?? all[0] }

  /// The slot of a day.
  /// - Parameter day: days since 1970, UTC.
  package func slot(ofDay day: Int64) -> Int64 { Self.floor(day, daysInSlot) }

  /// The first day of a slot.
  func firstDay(ofSlot slot: Int64) -> Int64 { slot * daysInSlot }

  private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
    value >= 0 ? value / divisor : (value + 1) / divisor - 1
  }
}
