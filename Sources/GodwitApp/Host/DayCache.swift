internal import Foundation
internal import GodwitModel

/// The days that were last read from a server, for times without a network. Positions are simplified to the drawn ones.
struct DayCache: Sendable {
  /// Maximum number of stored days; the one that was read first is dropped.
  static let maximumDays = 14
  /// Maximum positions of a day; a longer day is not stored.
  static let maximumPoints = 20_000

  struct Day: Sendable, Hashable {
    var read: Date
    var points: [DayPoint]
  }

  private struct Content: Codable {
    var server: String
    var read: Date
    /// Time in milliseconds since 1970, latitude and longitude in 10⁻⁶ degrees of each position, one after the other.
    var numbers: [Int64]
  }

  private struct Index: Codable { var names: [String] = [] }
  private static let index = "map.json"

  var files: AppFiles

  private static func file(_ name: String) -> String { "map-\(name).json" }

  /// Returns a day; `nil`: it is not stored, or its file is damaged.
  func day(_ day: MapDay, of server: String) -> Day? {
    guard let stored = try? files.value(Content.self, Self.file(day.name)), stored.server == server else { return nil }
    let numbers = stored.numbers
    let points = stride(from: 0, to: numbers.count - numbers.count % 3, by: 3).compactMap { place in
      Coordinate(latitude: Double(numbers[place + 1]) / 1e6, longitude: Double(numbers[place + 2]) / 1e6)
        .map { DayPoint(time: Date(millisecondsSince1970: numbers[place]), coordinate: $0) }
    }
    return Day(read: stored.read, points: points)
  }

  /// Stores a day. A day that cannot be written is read from the server again.
  func store(_ points: [DayPoint], of day: MapDay, from server: String, at now: Date) {
    guard points.count <= Self.maximumPoints else { return }
    let numbers = points.flatMap { point in
      [
        point.time.millisecondsSince1970, Int64((point.coordinate.latitude * 1e6).rounded()),
        Int64((point.coordinate.longitude * 1e6).rounded()),
      ]
    }
    var index = (try? files.value(Index.self, Self.index)) ?? Index()
    index.names.removeAll { $0 == day.name }
    index.names.append(day.name)
    let dropped = index.names.prefix(max(0, index.names.count - Self.maximumDays))
    index.names.removeFirst(dropped.count)
    do {
      // The index is written first, so that it lists every file.
      try files.store(index, Self.index)
      for name in dropped { try files.write(Self.file(name), nil) }
      try files.store(Content(server: server, read: now, numbers: numbers), Self.file(day.name))
    } catch {}
  }

  /// Deletes all days.
  /// - Throws: an error of the file system if a file cannot be removed.
  func removeAll() throws {
    for name in (try files.value(Index.self, Self.index))?.names ?? [] { try files.write(Self.file(name), nil) }
    try files.write(Self.index, nil)
  }
}
