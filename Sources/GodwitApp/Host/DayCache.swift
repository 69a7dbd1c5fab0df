internal import Foundation
internal import GodwitModel

/// The last days that were read from a server, for the time without a network. Positions are simplified as they are drawn.
struct DayCache: Sendable {
  /// Days that are kept; the one that was read longest ago is dropped first.
  static let maximumDays = 14
  /// Positions of a day; a longer one is not kept.
  static let maximumPoints = 20_000

  struct Day: Sendable, Hashable {
    var read: Date
    var points: [DayPoint]
  }

  private struct Content: Codable {
    var server: String
    var read: Date
    /// Milliseconds since 1970, latitude and longitude in 10⁻⁶ degrees, one after the other.
    var numbers: [Int64]
  }

  private struct Index: Codable { var names: [String] = [] }
  private static let index = "map.json"

  var files: AppFiles

  private static func file(_ name: String) -> String { "map-\(name).json" }

  /// Returns a day; `nil`: it was never read, or its file is damaged.
  func day(_ day: MapDay, of server: String) -> Day? {
    guard let stored = try? files.value(Content.self, Self.file(day.name)), stored.server == server else { return nil }
    let numbers = stored.numbers
    let points = stride(from: 0, to: numbers.count - numbers.count % 3, by: 3).compactMap { place in
      Coordinate(latitude: Double(numbers[place + 1]) / 1e6, longitude: Double(numbers[place + 2]) / 1e6)
        .map { DayPoint(time: Date(millisecondsSince1970: numbers[place]), coordinate: $0) }
    }
    return Day(read: stored.read, points: points)
  }

  /// Keeps a day. What cannot be written is read from the server again.
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
      // First, so that no file is left that the index does not have.
      try files.store(index, Self.index)
      for name in dropped { try files.write(Self.file(name), nil) }
      try files.store(Content(server: server, read: now, numbers: numbers), Self.file(day.name))
    } catch {}
  }

  /// Deletes all days.
  /// - Throws: when a file cannot be removed.
  func removeAll() throws {
    for name in (try files.value(Index.self, Self.index))?.names ?? [] { try files.write(Self.file(name), nil) }
    try files.write(Self.index, nil)
  }
}
