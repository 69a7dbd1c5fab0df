internal import Foundation
package import GodwitHTTPClient
internal import GodwitHistory
package import GodwitModel
package import GodwitServices
package import GodwitStore
internal import Synchronization

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
  private let log: @Sendable (String) -> Void
  private let failedPlaces = FailedPlaces()

  /// - Parameter log: Writes a message to the server's log.
  package init(
    address: String, database: any StoreDatabase, userAgent: String, clock: ServerClock? = nil,
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.address = address
    self.database = database
    self.userAgent = userAgent
    self.clock = clock ?? database.clock
    self.log = log
  }

  /// Seconds between two requests.
  package static let pace = 1.0
  /// Seconds between two searches for new visits.
  package static let rest = 30.0
  /// Seconds until all visits are read again without new visits: a place may have lost its name, or a request may be repeated.
  package static let rescan = 3600.0
  /// Pause in seconds after consecutive failures of the service or the database.
  package static let backoff = ExponentialBackoff(first: 30, maximum: 3600)
  /// Seconds until the request for a place is repeated after consecutive failures.
  package static let placeBackoff = ExponentialBackoff(first: 3600, maximum: 7 * 86_400)
  /// Number of consecutive failures for different places after which the service is considered to have failed.
  package static let maximumFailures = 3
  /// Number of visits per page.
  package static let page = 200

  /// Requests addresses until the task is cancelled or the store is closed.
  package func run() async throws {
    var failures = 0
    var last: (versions: [Int64: Int64], contents: Contents, time: Date)?
    while true {
      var pause = Self.rest
      do {
        // The versions are read first: a change in between is compared once more.
        let (current, now) = (try timelineVersions(), clock.now)
        let isDue = last.map { !(0..<Self.rescan).contains(now.timeIntervalSince($0.time)) } ?? true
        if isDue || last?.versions != current {
          let sums = try contents()
          if isDue || last?.contents != sums {
            let asked = try await runOnce()
            failures = 0
            last = (current, sums, now)
            if asked > 0 { continue }
          } else {
            last?.versions = current
          }
        }
      } catch is CancellationError {
        return
      } catch StoreError.closed {
        return
      } catch {
        failures += 1
        pause = max(Self.backoff.pause(after: failures), (error as? ServiceError)?.retryAfter ?? 0)
        log("Addresses could not be requested; trying again in \(Int(pause)) s: \(error)")
      }
      // Only a cancellation ends the sleep early.
      guard (try? await clock.sleep(for: .seconds(pause))) != nil else { return }
    }
  }

  /// Requests the addresses of all visits without one, newest first. A place whose request failed is skipped until its next
  /// attempt.
  /// - Returns: The number of received addresses.
  /// - Throws: ``ServiceError`` if the service fails. Addresses that were already received remain stored.
  package func runOnce() async throws -> Int {
    var asked = 0
    var failures = 0
    var cursor = Cursor.newest
    while let visits = try page(before: cursor) {
      for (place, square, visit) in visits.unknown {
        do {
          let address = try await ask(place)
          let now = clock.now
          try await database.write { db in
            // A deletion of the visit during the request has removed the addresses of its place.
            let stored = try db.integer(
              "SELECT 1 FROM visits WHERE device = ? AND arrival = ? LIMIT 1", visit.device, visit.arrival)
            if stored != nil { try AddressTable.set(address, in: square, at: now, db) }
          }
          failedPlaces.remove(square)
          asked += 1
          failures = 0
        } catch let error as ServiceError where !error.isGeneral {
          failedPlaces.add(square, at: clock.uptime)
          failures += 1
          guard failures < Self.maximumFailures else { throw error }
          log("An address could not be requested; the other places are not affected: \(error)")
        }
        try await clock.sleep(for: .seconds(Self.pace))
      }
      cursor = visits.earliest
    }
    return asked
  }

  /// The position of a visit in the order of the search.
  private struct Cursor: Sendable {
    var arrival: Int64
    var device: Int64
    var day: Int64

    static let newest = Cursor(arrival: .max, device: .max, day: .max)
  }

  /// Returns the places to request among the visits before a cursor, with the last visit of the page; `nil` if there are no
  /// visits.
  private func page(before cursor: Cursor) throws -> (unknown: [(Coordinate, AddressTable.Square, Cursor)], earliest: Cursor)? {
    try database.read { db in
      let rows = try db.all(
        """
        SELECT device, arrival, day, latitude, longitude FROM visits WHERE (arrival, device, day) < (?, ?, ?)
        ORDER BY arrival DESC, device DESC, day DESC LIMIT \(Self.page)
        """, cursor.arrival, cursor.device, cursor.day
      ) {
        try (
          cursor: Cursor(arrival: $0.integer("arrival"), device: $0.integer("device"), day: $0.integer("day")),
          place: Coordinate(latitude: Double($0.integer("latitude")) / 1e7, longitude: Double($0.integer("longitude")) / 1e7)
        )
      }
      guard let earliest = rows.last?.cursor else { return nil }
      let uptime = clock.uptime
      var finders: [Int64: PlaceFinder] = [:]
      var seen: Set<AddressTable.Square> = []
      var unknown: [(Coordinate, AddressTable.Square, Cursor)] = []
      for row in rows {
        guard let place = row.place else { continue }
        let square = AddressTable.Square(place)
        guard seen.insert(square).inserted, !failedPlaces.contains(square, at: uptime), try !AddressTable.isKnown(square, db)
        else {
          continue
        }
        let finder = try finders[row.cursor.device] ?? PlaceFinder(device: row.cursor.device, db)
        finders[row.cursor.device] = finder
        if finder.place(at: place, within: PlaceFinder.tolerance) == nil { unknown.append((place, square, row.cursor)) }
      }
      return (unknown, earliest)
    }
  }

  /// Returns the versions of the timelines by device. One of them differs when visits were computed. There is one row per device, and
  /// the sums over all visits are needed only when one differs.
  private func timelineVersions() throws -> [Int64: Int64] {
    try database.read { db in
      var versions: [Int64: Int64] = [:]
      try db.forEach("SELECT device, version FROM timelines") { versions[try $0.integer("device")] = try $0.integer("version") }
      return versions
    }
  }

  /// Sums over all visits, which differ when a visit was added, moved or removed.
  private struct Contents: Equatable {
    var count: Int64
    var latitudes: Int64
    var longitudes: Int64
    var latest: Int64
  }

  private func contents() throws -> Contents {
    let sums = try database.read { db in
      try db.first(
        """
        SELECT count(*) AS visits, CAST(coalesce(sum(latitude), 0) AS BIGINT) AS latitudes,
          CAST(coalesce(sum(longitude), 0) AS BIGINT) AS longitudes, coalesce(max(arrival), 0) AS latest FROM visits
        """
      ) {
        try Contents(
          count: $0.integer("visits"), latitudes: $0.integer("latitudes"), longitudes: $0.integer("longitudes"),
          latest: $0.integer("latest"))
      }
    }
    guard let sums else { throw StoreError.missingRow(table: "visits") }
    return sums
  }

  /// The places whose last request failed, with the uptime of the next request. They are kept in memory, so that a restart repeats their
  /// requests.
  private final class FailedPlaces: Sendable {
    private let squares = Mutex<[AddressTable.Square: (count: Int, until: Duration)]>([:])

    func add(_ square: AddressTable.Square, at uptime: Duration) {
      squares.withLock { squares in
        let count = (squares[square]?.count ?? 0) + 1
        squares[square] = (count, uptime + .seconds(Geocoder.placeBackoff.pause(after: count)))
      }
    }

    func remove(_ square: AddressTable.Square) { squares.withLock { _ = $0.removeValue(forKey: square) } }

    func contains(_ square: AddressTable.Square, at uptime: Duration) -> Bool {
      squares.withLock { $0[square].map { uptime < $0.until } ?? false }
    }
  }

  /// An error of the geocoding service.
  package struct ServiceError: Error, CustomStringConvertible {
    package var description: String
    /// Whether the service failed, and not the request for one place.
    package var isGeneral = false
    /// `Retry-After` in seconds.
    package var retryAfter: Double?
  }

  /// Statuses that concern the service and not one place: sign-in needed, forbidden, too many requests, unavailable.
  private static let generalStatuses = [401, 403, 429, 503]

  /// Requests the address of a place, rounded to four decimals (11 metres). Returns `nil` if there is none, as at sea.
  private func ask(_ place: Coordinate) async throws -> Address? {
    let number = { (degrees: Double) in String((degrees * 1e4).rounded() / 1e4) }
    let search =
      "\(address)/reverse?format=jsonv2&lat=\(number(place.latitude))&lon=\(number(place.longitude))&zoom=18&addressdetails=1"
    guard let url = URL(string: search) else {
      throw ServiceError(description: "\"\(address)\" is not a valid address.", isGeneral: true)
    }
    let request = HTTPClient.Request(
      method: "GET", url: url,
      headers: [
        "User-Agent": userAgent, "Accept": "application/json",
      ]
    ).boundedForServer
    let response: HTTPClient.Response
    do { response = try await client.send(request) } catch {
      try Task.checkCancellation()
      throw ServiceError(description: error.localizedDescription, isGeneral: true)
    }
    guard response.status == 200 else {
      throw ServiceError(
        description: "The service responded with status \(response.status).",
        isGeneral: Self.generalStatuses.contains(response.status), retryAfter: response.retryAfter(now: clock.now))
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
