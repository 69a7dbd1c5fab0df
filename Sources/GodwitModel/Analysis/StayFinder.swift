public import struct Foundation.Date

/// Finds the stays in a track, position by position.
///
/// A stay begins at a position, and lasts until a position is farther from the first one than the radius. It counts if this time is
/// at least the minimum duration (Li, Zheng, Xie, Chen, Liu, Ma: Mining User Similarity Based on Location History, GIS 2008). The
/// search continues at the position that ended it, with or without a stay. Each position is read once, so that memory is constant,
/// as is the time for each position.
///
/// ```swift
/// var finder = StayFinder()
/// for fix in fixes { if let stay = finder.add(fix.coordinate, at: fix.time) { show(stay) } }
/// if let stay = finder.current { show(stay) }
/// ```
public struct StayFinder: Sendable, Hashable, Codable {
  /// The definition of a stay.
  public struct Definition: Sendable, Hashable, Codable {
    /// Maximum distance in metres from the first position of a stay, > 0.
    public var radius: Meters
    /// Minimum seconds of a stay, ≥ 0.
    public var minimumDuration: Double
    /// Maximum seconds between consecutive positions. A longer gap ends a search without a stay. `nil` to assume that a device at
    /// the same place before and after a gap did not leave.
    public var maximumGap: Double?

    /// - Parameters:
    ///   - radius: Maximum distance in metres from the first position of a stay, > 0.
    ///   - minimumDuration: Minimum seconds of a stay, ≥ 0.
    ///   - maximumGap: Seconds between consecutive positions after which a search ends without a stay; `nil` for no limit.
    public init(radius: Meters = 100, minimumDuration: Double = 300, maximumGap: Double? = nil) {
      self.radius = radius
      self.minimumDuration = minimumDuration
      self.maximumGap = maximumGap
    }

    /// JSON keys of stored timelines.
    private enum CodingKeys: String, CodingKey {
      case radius
      case minimumDuration = "leastDuration"
      case maximumGap = "longestGap"
    }
  }

  /// The positions since the last change of place. The sum is that of the differences from the first position, so that it stays
  /// exact over millions of positions.
  private struct Search: Sendable, Hashable, Codable {
    let start: Date
    let first: UnitVector
    let place: Coordinate
    var last: Date
    var sum = UnitVector(x: 0, y: 0, z: 0)
    var count = 1

    init(_ place: Coordinate, _ vector: UnitVector, at time: Date) {
      start = time
      first = vector
      self.place = place
      last = time
    }

    mutating func add(_ vector: UnitVector, at time: Date) {
      sum.x += vector.x - first.x
      sum.y += vector.y - first.y
      sum.z += vector.z - first.z
      count += 1
      last = time
    }

    func stay(until departure: Date) -> Stay {
      let share = 1 / Double(count)
      let middle = UnitVector(x: first.x + sum.x * share, y: first.y + sum.y * share, z: first.z + sum.z * share)
      return Stay(
        arrival: start, departure: departure, lastSeen: last, coordinate: count == 1 ? place : middle.coordinate ?? place,
        count: count)
    }
  }

  /// The definition of a stay.
  public let definition: Definition
  private let limit: Double
  private var search: Search?

  /// - Parameter definition: The definition of a stay; by default 100 m and 5 minutes.
  public init(_ definition: Definition = Definition()) {
    self.definition = definition
    limit = UnitVector.squaredChord(of: definition.radius)
  }

  /// Adds the next position of a track. A position older than the previous one is skipped.
  /// - Parameters:
  ///   - coordinate: The position.
  ///   - time: Time of the measurement.
  /// - Returns: The stay that this position ended, if it ended one.
  public mutating func add(_ coordinate: Coordinate, at time: Date) -> Stay? {
    let vector = UnitVector(coordinate)
    guard let before = search else {
      search = Search(coordinate, vector, at: time)
      return nil
    }
    let step = time.timeIntervalSince(before.last)
    guard step >= 0 else { return nil }
    if let maximum = definition.maximumGap, step > maximum {
      search = Search(coordinate, vector, at: time)
      return nil
    }
    guard vector.squaredChord(to: before.first) > limit else {
      search?.add(vector, at: time)
      return nil
    }
    search = Search(coordinate, vector, at: time)
    return time.timeIntervalSince(before.start) >= definition.minimumDuration ? before.stay(until: time) : nil
  }

  /// The stay in progress, if it is long enough: the current place, or the end of a track.
  public var current: Stay? {
    guard let search, search.last.timeIntervalSince(search.start) >= definition.minimumDuration else { return nil }
    return search.stay(until: search.last)
  }

  /// Number of positions since the search started; 1 if it started with the latest position, 0 before the first.
  public var searched: Int { search?.count ?? 0 }

  /// Returns all stays of a track, including one at its end.
  /// - Parameters:
  ///   - fixes: The track, sorted by time.
  ///   - definition: The definition of a stay.
  public static func stays(in fixes: some Sequence<Fix>, _ definition: Definition = Definition()) -> [Stay] {
    var finder = StayFinder(definition)
    var stays: [Stay] = []
    for fix in fixes {
      if let stay = finder.add(fix.coordinate, at: fix.time) { stays.append(stay) }
    }
    if let stay = finder.current { stays.append(stay) }
    return stays
  }
}
