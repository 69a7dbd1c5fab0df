internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
package import GodwitTiles
internal import GodwitVisits

/// The towns, states and countries of visits and places from the built-in world data. They are looked up for each response, without
/// a network.
package struct Localities: Sendable {
  let names: PlaceNames

  package init(_ names: PlaceNames) { self.names = names }

  /// - Throws: an error if the built-in world data cannot be read.
  func city(latitude: Double, longitude: Double) throws -> City? { try names.city(latitude: latitude, longitude: longitude) }

  /// - Throws: an error if the built-in world data cannot be read.
  func name(of coordinate: Coordinate) throws -> PlaceName {
    try names.name(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }
}

/// The API descriptions of the locality members of visits and places.
enum LocalityNotes {
  static let all: [String: JSONValue] = [
    "town": "A town of about 1,000 inhabitants or more that is near.", "state": "The state or province.",
    "country": "The English name.", "country_code": "ISO 3166-1, two letters.",
  ]
}

/// The time that a device spent in countries and towns, according to its visits.
struct VisitedLocalities {
  /// The days of visits and their total duration in seconds.
  private struct Stay {
    var days: Set<Int64> = []
    var seconds = 0.0

    mutating func add(_ days: ClosedRange<Int64>, _ seconds: Double) {
      self.days.formUnion(days)
      self.seconds += seconds
    }
  }

  private struct Town: Hashable {
    var name: String
    var state: String?
    var country: String?
  }

  /// The maximum number of towns in a response.
  private static let maximumTowns = 100

  private let times: Range<Int64>
  private let localities: Localities
  private var local: LocalDays
  private var known: [AddressTable.Square: PlaceName] = [:]
  private var names: [String: String] = [:]
  private var byCountry: [String: Stay] = [:]
  private var byTown: [Town: Stay] = [:]

  /// - Parameters:
  ///   - times: milliseconds since 1970, at most ten years. Times outside the range are not counted.
  ///   - local: the local days of the device.
  init(in times: Range<Int64>, local: LocalDays, _ localities: Localities) {
    self.times = times
    self.local = local
    self.localities = localities
  }

  mutating func add(_ visit: FoundVisit) throws {
    let start = max(visit.arrival, times.lowerBound)
    let end = min(visit.departure ?? visit.seen, times.upperBound)
    guard start <= end else { return }
    // The last day of a visit that ends at midnight is the previous day.
    let days = local.day(of: start)...max(local.day(of: start), local.day(of: max(end - 1, start)))
    let square = AddressTable.Square(visit.coordinate)
    let name = try known[square] ?? localities.name(of: visit.coordinate)
    known[square] = name
    let seconds = Double(end - start) / 1000
    if let code = name.countryCode {
      names[code] = name.country
      byCountry[code, default: Stay()].add(days, seconds)
    }
    if let town = name.town {
      byTown[Town(name: town, state: name.state, country: name.countryCode), default: Stay()].add(days, seconds)
    }
  }

  /// The countries, ordered by the number of days.
  var countries: [StatisticsAPI.CountrySum] {
    byCountry.sorted { ($1.value.days.count, $0.key) < ($0.value.days.count, $1.key) }.map { code, stay in
      StatisticsAPI.CountrySum(code: code, name: names[code] ?? code, days: stay.days.count, seconds: stay.seconds)
    }
  }

  /// The towns, ordered by the length of stay.
  var towns: [StatisticsAPI.TownSum] {
    byTown.sorted { ($1.value.seconds, $0.key.name) < ($0.value.seconds, $1.key.name) }.prefix(Self.maximumTowns).map {
      town, stay in
      StatisticsAPI.TownSum(
        name: town.name, state: town.state, countryCode: town.country, days: stay.days.count, seconds: stay.seconds)
    }
  }
}
