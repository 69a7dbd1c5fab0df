package import Foundation
package import GodwitModel

/// The countries and towns of a period, with the days on which the device stayed there.
///
/// A day counts for each country and town in which a visit has a part of it, so that the days of two countries may be more than the
/// days of the period. Days without a visit, on the way, count for none.
package struct CountryDays: Sendable {
  /// The country and the town of a position.
  package struct Name: Sendable, Hashable {
    /// ISO 3166-1, two capitals.
    package var code: String
    package var country: String
    package var town: String?

    package init(code: String, country: String, town: String? = nil) {
      self.code = code
      self.country = country
      self.town = town
    }
  }
  package struct Town: Sendable, Hashable {
    package var name: String
    package var days: Int
    /// Of all visits there.
    package var seconds: Double
  }
  package struct Country: Sendable, Hashable {
    package var code: String
    package var name: String
    package var days: Int
    package var seconds: Double
    /// Local days, since 1970.
    package var first: Int64
    package var last: Int64
    /// By days.
    package var towns: [Town]
  }

  /// By days.
  package private(set) var countries: [Country] = []

  /// Cells of a degree: visits in one cell, 220 metres high, have one name.
  private static let cells = 500.0

  /// - Parameters:
  ///   - visits: in order.
  ///   - times: milliseconds since 1970; what is outside does not count.
  ///   - zone: defines the days.
  ///   - name: names a position; `nil`: it is at sea, and counts for no country.
  package init(
    _ visits: [FoundVisit], in times: Range<Int64>, zone: TimeZone, name: (Coordinate) throws -> Name?
  ) rethrows {
    var cells: [Cell: Coordinate] = [:]
    for visit in visits where cells[Cell(visit.coordinate)] == nil { cells[Cell(visit.coordinate)] = visit.coordinate }
    // Neighbours one after the other, so that a source of names that reads tiles reads each once.
    var names: [Cell: Name] = [:]
    for (cell, place) in cells.sorted(by: { $0.key < $1.key }) { names[cell] = try name(place) }
    var local = LocalDays(zone)
    var stays: [String: Stay] = [:]
    for visit in visits {
      guard let name = names[Cell(visit.coordinate)] else { continue }
      let start = max(visit.arrival, times.lowerBound)
      let end = min(visit.departure ?? visit.seen, times.upperBound)
      guard start < end else { continue }
      let days = local.day(of: start)...local.day(of: end - 1)
      stays[name.code, default: Stay(name: name.country)].add(days, Double(end - start) / 1000, name.town)
    }
    countries = stays.map { code, stay in
      Country(
        code: code, name: stay.name, days: stay.days.count, seconds: stay.seconds, first: stay.days.min() ?? 0,
        last: stay.days.max() ?? 0,
        towns: stay.towns.map { Town(name: $0, days: $1.days.count, seconds: $1.seconds) }
          .sorted { ($1.days, $1.seconds, $0.name) < ($0.days, $0.seconds, $1.name) })
    }.sorted { ($1.days, $1.seconds, $0.code) < ($0.days, $0.seconds, $1.code) }
  }

  private struct Cell: Hashable, Comparable {
    let row, column: Int

    init(_ place: Coordinate) {
      row = Int((place.latitude * CountryDays.cells).rounded(.down))
      column = Int((place.longitude * CountryDays.cells).rounded(.down))
    }

    /// By squares of a degree first.
    static func < (a: Cell, b: Cell) -> Bool {
      let side = Int(CountryDays.cells)
      return (a.row / side, a.column / side, a.row, a.column) < (b.row / side, b.column / side, b.row, b.column)
    }
  }

  private struct Stay {
    var name: String
    var days: Set<Int64> = []
    var seconds = 0.0
    var towns: [String: (days: Set<Int64>, seconds: Double)] = [:]

    init(name: String) { self.name = name }

    mutating func add(_ range: ClosedRange<Int64>, _ time: Double, _ town: String?) {
      days.formUnion(range)
      seconds += time
      guard let town else { return }
      towns[town, default: ([], 0)].days.formUnion(range)
      towns[town, default: ([], 0)].seconds += time
    }
  }
}
