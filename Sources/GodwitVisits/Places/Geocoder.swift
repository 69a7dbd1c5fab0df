internal import Foundation
package import GodwitHTTPClient
internal import GodwitHistory
package import GodwitModel
package import GodwitServices
package import GodwitStore

/// Requests the addresses of visits from a Nominatim server, one at a time and at most one per second, as its usage policy
/// requires.
///
/// The geocoder is off by default, because it discloses places to the service. Named places are not requested, and no place is
/// requested twice. Other work does not wait for the geocoder.
package struct Geocoder: Service {
  /// Base URL without a trailing slash.
  let address: String
  let database: any StoreDatabase
  /// `User-Agent` of the requests.
  let userAgent: String
  package var client = HTTPClient.live()
  private let clock: ServerClock

  package init(address: String, database: any StoreDatabase, userAgent: String, clock: ServerClock? = nil) {
    self.address = address
    self.database = database
    self.userAgent = userAgent
    self.clock = clock ?? database.clock
  }

  /// Seconds between two requests.
  package static let pace = 1.0
  /// Seconds between two searches for new visits.
  package static let rest = 30.0
  /// Pause in seconds after consecutive failures.
  package static let backoff = ExponentialBackoff(first: 30, maximum: 3600)
  /// Number of visits per page.
  package static let page = 200

  /// Requests addresses until the task is cancelled.
  package func run() async throws {
    var failures = 0
    do {
      while true {
        do {
          let asked = try await runOnce()
          failures = 0
          if asked == 0 { try await clock.sleep(for: .seconds(Self.rest)) }
        } catch let rejection as ServiceError {
          failures += 1
          try await clock.sleep(for: .seconds(max(Self.backoff.pause(after: failures), rejection.retryAfter ?? 0)))
        }
      }
    } catch {
      // The task was cancelled, or the store failed or is closed.
    }
  }

  /// Requests the addresses of all visits without one, newest first.
  /// - Returns: The number of requests.
  /// - Throws: ``ServiceError`` if a response is missing or invalid. Addresses that were already received remain stored.
  package func runOnce() async throws -> Int {
    var asked = 0
    var before = Int64.max
    while let visits = try page(before: before) {
      for (place, square) in visits.unknown {
        let address = try await ask(place)
        let now = clock.now
        try await database.write { try AddressTable.set(address, in: square, at: now, $0) }
        asked += 1
        try await clock.sleep(for: .seconds(Self.pace))
      }
      before = visits.earliest
    }
    return asked
  }

  /// Returns the places to request among the visits that arrived before a time, with the earliest arrival of the page; `nil` if
  /// there are no visits.
  private func page(before: Int64) throws -> (unknown: [(Coordinate, AddressTable.Square)], earliest: Int64)? {
    try database.read { db in
      let rows = try db.all(
        "SELECT device, arrival, latitude, longitude FROM visits WHERE arrival < ? ORDER BY arrival DESC LIMIT \(Self.page)",
        before
      ) {
        try (
          device: $0.integer("device"), arrival: $0.integer("arrival"),
          place: Coordinate(latitude: Double($0.integer("latitude")) / 1e7, longitude: Double($0.integer("longitude")) / 1e7)
        )
      }
      guard let earliest = rows.last?.arrival else { return nil }
      var finders: [Int64: PlaceFinder] = [:]
      var seen: Set<AddressTable.Square> = []
      var unknown: [(Coordinate, AddressTable.Square)] = []
      for row in rows {
        guard let place = row.place else { continue }
        let square = AddressTable.Square(place)
        guard seen.insert(square).inserted, try !AddressTable.isKnown(square, db) else { continue }
        let finder = try finders[row.device] ?? PlaceFinder(device: row.device, db)
        finders[row.device] = finder
        if finder.place(at: place, within: PlaceFinder.tolerance) == nil { unknown.append((place, square)) }
      }
      return (unknown, earliest)
    }
  }

  /// An error of the geocoding service.
  package struct ServiceError: Error, CustomStringConvertible {
    package var description: String
    /// `Retry-After` in seconds.
    package var retryAfter: Double?
  }

  /// Requests the address of a place, rounded to four decimals (11 metres). Returns `nil` if there is none, as at sea.
  private func ask(_ place: Coordinate) async throws -> Address? {
    let number = { (degrees: Double) in String((degrees * 1e4).rounded() / 1e4) }
    let search =
      "\(address)/reverse?format=jsonv2&lat=\(number(place.latitude))&lon=\(number(place.longitude))&zoom=18&addressdetails=1"
    guard let url = URL(string: search) else { throw ServiceError(description: "\"\(address)\" is not a valid address.") }
    let request = HTTPClient.Request(
      method: "GET", url: url,
      headers: [
        "User-Agent": userAgent, "Accept": "application/json",
      ]
    ).boundedForServer
    let response: HTTPClient.Response
    do { response = try await client.send(request) } catch {
      try Task.checkCancellation()
      throw ServiceError(description: error.localizedDescription)
    }
    guard response.status == 200 else {
      throw ServiceError(
        description: "The service responded with status \(response.status).", retryAfter: response.retryAfter(now: clock.now))
    }
    return try Self.read(response.body)
  }

  private static func read(_ body: [UInt8]) throws -> Address? {
    guard let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] else {
      throw ServiceError(description: "The response is not a JSON object.")
    }
    if let error = object["error"] {
      // Nominatim also reports errors with status 200.
      if "\(error)".lowercased().contains("unable to geocode") { return nil }
      throw ServiceError(description: "It failed: \(error)")
    }
    guard let text = object["display_name"] as? String, !text.isEmpty else {
      throw ServiceError(description: "The response has no display_name.")
    }
    let parts = object["address"] as? [String: Any] ?? [:]
    let locality = ["city", "town", "village", "municipality", "hamlet"].lazy.compactMap { parts[$0] as? String }.first
    let name = (object["name"] as? String).flatMap { $0.isEmpty ? nil : $0 }
    return Address(
      text: text, name: name, locality: locality, country: (parts["country_code"] as? String)?.uppercased(),
      attribution: object["licence"] as? String ?? "© OpenStreetMap contributors, ODbL 1.0")
  }
}
