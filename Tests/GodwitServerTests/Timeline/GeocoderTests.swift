import Foundation
import GodwitModel
import GodwitServices
import GodwitVisits
import Synchronization
import Testing

@testable import GodwitAccounts
@testable import GodwitHTTP
@testable import GodwitHistory
@testable import GodwitServer
@testable import GodwitStore

/// A Nominatim server on this machine.
private final class Nominatim: Sendable {
  struct Request: Sendable {
    var latitude: String?
    var longitude: String?
    var agent: String?
    var format: String?
  }
  private let server: HTTPServer
  let address: String
  private let shared: Shared

  private final class Shared: Sendable {
    let requests = Mutex<[Request]>([])
  }

  /// Starts a server.
  /// - Parameter response: the response to the n-th request, counted from 1.
  init(_ response: @escaping @Sendable (Int) -> HTTPResponse) throws {
    let shared = Shared()
    self.shared = shared
    server = HTTPServer(
      configuration: HTTPServer.Configuration(address: try #require(ListenAddress("127.0.0.1:0"))),
      handler: HTTPServer.Handler(
        accept: { _ in nil },
        respond: { request in
          let query = Request(
            latitude: request.query["lat"], longitude: request.query["lon"], agent: request.header("User-Agent"),
            format: request.query["format"])
          let count = shared.requests.withLock { requests in
            requests.append(query)
            return requests.count
          }
          return .now(request.path == "/reverse" && request.method == "GET" ? response(count) : .json([], status: 404))
        }))
    address = "http://127.0.0.1:\(try server.start())"
  }

  var requests: [Request] { shared.requests.withLock { $0 } }

  func stop() async {
    server.beginStopping()
    await server.stop(within: 5)
  }

  static let house = HTTPResponse.json(
    Array(
      #"{"licence":"Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright","name":"Town Hall","display_name":"Town Hall, 1, Main Square, Ljubljana, Slovenia","address":{"city":"Ljubljana","country_code":"si"}}"#
        .utf8))
}

/// A clock on which every sleep ends immediately and advances the time.
private final class QuickTime: Sendable {
  private let slept = Mutex<[Double]>([])
  private let date = Mutex(Date(timeIntervalSince1970: 1_780_000_000))
  private let uptime = Mutex(Duration.zero)
  private let action = Mutex<@Sendable (Double) async throws -> Void>({ _ in })
  var sleeps: [Double] { slept.withLock { $0 } }
  var clock: ServerClock {
    ServerClock(
      now: { self.date.withLock { $0 } }, uptime: { self.uptime.withLock { $0 } },
      sleep: { duration in
        let seconds: Double = duration / .seconds(1)
        self.slept.withLock { $0.append(seconds) }
        self.advance(seconds)
        try await self.action.withLock { $0 }(seconds)
      }, wake: { _, action in action() })
  }

  func advance(_ seconds: Double) {
    changeDate(by: seconds)
    uptime.withLock { $0 += .seconds(seconds) }
  }

  /// Changes the date without a change of the uptime, as a time server does.
  func changeDate(by seconds: Double) { date.withLock { $0.addTimeInterval(seconds) } }

  /// Sets an action for each sleep.
  func onSleep(_ action: @escaping @Sendable (Double) async throws -> Void) { self.action.withLock { $0 = action } }
}

@Suite("Addresses of places", .timeLimit(.minutes(20)))
struct GeocoderTests {
  /// The response of the server to the n-th request.
  private typealias Responses = @Sendable (Int) -> HTTPResponse
  private static let houses: Responses = { _ in Nominatim.house }

  private static func with(
    on kind: StoreKind, _ response: @escaping Responses,
    _ body: (any StoreDatabase, Device, Nominatim, Geocoder, QuickTime) async throws -> Void
  ) async throws {
    let box = try ContractStore(kind)
    defer { box.end() }
    let device = try box.store.makeDevice()
    var journey = Journey()
    for _ in 0..<3 {
      journey.stay(3600)
      journey.go(4000, at: 8)
    }
    journey.stay(3600)
    _ = try await box.store.store(journey.records, of: device, at: Date())
    try await RecomputeWorker(database: box.store).processBacklog(at: .distantFuture)
    let nominatim = try Nominatim(response)
    let quick = QuickTime()
    let geocoder = Geocoder(
      address: nominatim.address, database: box.store, userAgent: "godwit/\(Version.current)", clock: quick.clock)
    do { try await body(box.store, device, nominatim, geocoder, quick) } catch {
      await nominatim.stop()
      throw error
    }
    await nominatim.stop()
  }

  private static func addresses(_ store: any StoreDatabase, _ device: Device) throws -> [Address?] {
    try store.read { db in
      try TimelineRows(db).visits(.init(device: device.id, times: .min..<Int64.max))
        .map { try AddressTable.address(near: $0.coordinate, db) }
    }
  }

  @Test(
    "each place is requested once, at most one per second, with rounded coordinates and a User-Agent",
    arguments: StoreKind.tested)
  func once(_ kind: StoreKind) async throws {
    try await Self.with(on: kind, Self.houses) { store, device, nominatim, geocoder, quick in
      let requested1 = try await geocoder.runOnce()
      #expect(requested1 == 4)
      let requested2 = try await geocoder.runOnce()
      #expect(requested2 == 0, "known addresses are not requested")
      #expect(nominatim.requests.count == 4 && quick.sleeps == [1, 1, 1, 1])
      for query in nominatim.requests {
        #expect(query.agent?.hasPrefix("godwit/") == true && query.format == "jsonv2")
        let digits = query.latitude?.split(separator: ".").last?.count ?? 9
        #expect(digits <= 4, "rounded to 11 metres")
      }
      let addresses = try Self.addresses(store, device)
      #expect(addresses.count == 4)
      #expect(addresses.allSatisfy { $0?.name == "Town Hall" && $0?.locality == "Ljubljana" && $0?.country == "SI" })
      #expect(addresses.allSatisfy { $0?.attribution.contains("OpenStreetMap") == true })
    }
  }

  @Test("places with a name are not requested", arguments: StoreKind.tested)
  func named(_ kind: StoreKind) async throws {
    try await Self.with(on: kind, Self.houses) { store, device, nominatim, geocoder, _ in
      let visits = try store.read { try TimelineRows($0).visits(.init(device: device.id, times: .min..<Int64.max)) }
      let first = try #require(visits.first)
      _ = try await store.write {
        try PlaceTables.add(.init(name: "Home", center: first.coordinate, radius: 100), of: nil, at: Date(), $0)
      }
      let requested3 = try await geocoder.runOnce()
      #expect(requested3 == 3)
      #expect(nominatim.requests.count == 3)
    }
  }

  @Test("a position without an address, as at sea, is not requested again", arguments: StoreKind.tested)
  func none(_ kind: StoreKind) async throws {
    let nothing = HTTPResponse.json(Array(#"{"error":"Unable to geocode"}"#.utf8))
    let responses: Responses = { _ in nothing }
    try await Self.with(on: kind, responses) { store, device, _, geocoder, _ in
      let requested4 = try await geocoder.runOnce()
      #expect(requested4 == 4)
      let requested5 = try await geocoder.runOnce()
      #expect(requested5 == 0)
      let addresses = try Self.addresses(store, device)
      #expect(addresses.allSatisfy { $0 == nil })
    }
  }

  @Test("a failure of the service ends the run, and the addresses so far are stored", arguments: [401, 403, 429, 503])
  func generalFault(_ status: Int) async throws {
    let fault = HTTPResponse.json(Array("busy".utf8), status: status).with("Retry-After", "120")
    let responses: Responses = { $0 == 3 ? fault : Nominatim.house }
    try await Self.with(on: .sqlite, responses) { _, _, nominatim, geocoder, _ in
      let rejection = await #expect(throws: Geocoder.ServiceError.self) { try await geocoder.runOnce() }
      #expect(rejection?.retryAfter == 120)
      let requested = try await geocoder.runOnce()
      #expect(requested == 2, "two addresses are known")
      #expect(nominatim.requests.count == 5)
    }
  }

  /// Responses that are failures for one place.
  static let faults: [HTTPResponse] = [
    .json(Array("bad request".utf8), status: 400), .json(Array("<html>".utf8)), .json(Array("{}".utf8)),
    .json(Array(#"{"error":{"code":500,"message":"database is away"}}"#.utf8)),
  ]

  @Test("a failed request does not block other places, and is repeated after an hour", arguments: faults.indices)
  func fault(_ index: Int) async throws {
    let fault = Self.faults[index]
    let responses: Responses = { $0 == 1 || $0 == 5 ? fault : Nominatim.house }
    try await Self.with(on: .sqlite, responses) { _, _, nominatim, geocoder, quick in
      let first = try await geocoder.runOnce()
      #expect(first == 3 && nominatim.requests.count == 4)
      let soon = try await geocoder.runOnce()
      #expect(soon == 0 && nominatim.requests.count == 4, "the failed place waits")
      quick.advance(3600)
      let second = try await geocoder.runOnce()
      #expect(second == 0 && nominatim.requests.count == 5)
      quick.advance(3600)
      let early = try await geocoder.runOnce()
      #expect(early == 0 && nominatim.requests.count == 5, "the second retry is after two hours")
      quick.advance(3600)
      let third = try await geocoder.runOnce()
      #expect(third == 1 && nominatim.requests.count == 6)
    }
  }

  @Test(
    "a failed request is repeated after an hour also if the clock is set back or forward", arguments: [-20 * 86_400.0, 3_600])
  func faultAndClock(_ shift: Double) async throws {
    let fault = Self.faults[0]
    let responses: Responses = { $0 == 1 ? fault : Nominatim.house }
    try await Self.with(on: .sqlite, responses) { _, _, nominatim, geocoder, quick in
      let first = try await geocoder.runOnce()
      #expect(first == 3 && nominatim.requests.count == 4)
      quick.changeDate(by: shift)
      let soon = try await geocoder.runOnce()
      #expect(soon == 0 && nominatim.requests.count == 4, "the failed place waits")
      quick.advance(3600)
      let second = try await geocoder.runOnce()
      #expect(second == 1 && nominatim.requests.count == 5)
    }
  }

  @Test("three failures for different places count as a failure of the service, and the next run continues with other places")
  func severalFaults() async throws {
    let fault = HTTPResponse.json([], status: 502)
    let responses: Responses = { $0 <= 3 ? fault : Nominatim.house }
    try await Self.with(on: .sqlite, responses) { _, _, nominatim, geocoder, _ in
      await #expect(throws: Geocoder.ServiceError.self) { try await geocoder.runOnce() }
      #expect(nominatim.requests.count == 3)
      let requested = try await geocoder.runOnce()
      #expect(requested == 1)
    }
  }

  @Test("the address of a visit that is deleted during the request is not stored", arguments: StoreKind.tested)
  func deletedVisit(_ kind: StoreKind) async throws {
    let opened = Mutex<(any StoreDatabase)?>(nil)
    let responses: Responses = { _ in
      let store = opened.withLock { $0 }
      _ = try? store?.writeAndWait { try $0.run("DELETE FROM visits") }
      return Nominatim.house
    }
    try await Self.with(on: kind, responses) { store, _, nominatim, geocoder, _ in
      opened.withLock { $0 = store }
      _ = try await geocoder.runOnce()
      #expect(nominatim.requests.count == 4)
      #expect(try store.read { try $0.integer("SELECT count(*) FROM addresses") } == 0)
    }
  }

  @Test("a failure of the database is logged, and the geocoder continues after a pause")
  func database() async throws {
    try await Self.with(on: .sqlite, Self.houses) { store, _, nominatim, _, quick in
      try await store.write { try $0.run("ALTER TABLE visits RENAME TO hidden_visits") }
      let messages = Mutex<[String]>([])
      let geocoder = Geocoder(
        address: nominatim.address, database: store, userAgent: "godwit/test", clock: quick.clock,
        log: { message in messages.withLock { $0.append(message) } })
      quick.onSleep { [quick] _ in
        switch quick.sleeps.count {
        case 1: try await store.write { try $0.run("ALTER TABLE hidden_visits RENAME TO visits") }
        case 6: throw CancellationError()
        default: break
        }
      }
      try await geocoder.run()
      #expect(quick.sleeps == [30, 1, 1, 1, 1, 30])
      #expect(nominatim.requests.count == 4)
      let logged = messages.withLock { $0 }
      #expect(logged.count == 1 && logged.first?.contains("trying again in 30 s") == true, "\(logged)")
    }
  }

  @Test("without new visits the visits are read again only after an hour")
  func idle() async throws {
    try await Self.with(on: .sqlite, Self.houses) { store, device, nominatim, geocoder, quick in
      quick.onSleep { [quick] _ in
        switch quick.sleeps.count {
        // The first pause, after four requests.
        case 5: try await store.write { try $0.run("DELETE FROM addresses") }
        case 7:
          #expect(nominatim.requests.count == 4, "the visits are the same")
          try await Self.addVisits(1, of: device, to: store)
        // Five requests and the next pause.
        case 13:
          #expect(nominatim.requests.count == 9)
          try await store.write { try $0.run("DELETE FROM addresses") }
          quick.advance(3600)
        case 19: throw CancellationError()
        default: break
        }
      }
      try await geocoder.run()
      #expect(nominatim.requests.count == 14)
    }
  }

  @Test("visits are compared only when the version of a timeline has changed", arguments: StoreKind.tested)
  func unchanged(_ kind: StoreKind) async throws {
    try await Self.with(on: kind, Self.houses) { store, device, nominatim, geocoder, quick in
      quick.onSleep { [quick] _ in
        switch quick.sleeps.count {
        // The first pause, after four requests. No computation adds visits without another version.
        case 5: try await Self.addVisits(1, of: device, to: store, changesVersion: false)
        case 7:
          #expect(nominatim.requests.count == 4, "the visits were not read")
          try await store.write { try $0.run("UPDATE timelines SET version = version + 1") }
        // The request and the next pause.
        case 9: throw CancellationError()
        default: break
        }
      }
      try await geocoder.run()
      #expect(nominatim.requests.count == 5)
    }
  }

  /// Adds visits with the same arrival, each at another place.
  private static func addVisits(
    _ count: Int, of device: Device, to store: any StoreDatabase, changesVersion: Bool = true
  ) async throws {
    try await store.write { db in
      if changesVersion { try db.run("UPDATE timelines SET version = version + 1 WHERE device = ?", device.id) }
      for number in 0..<count {
        try db.run(
          """
          INSERT INTO visits (device, arrival, day, departure, seen, latitude, longitude, radius, points, reported)
          VALUES (?, 1000, ?, 2000, 2000, ?, 100000000, 20.0, 5, 0)
          """, device.id, number, Int64(number) * 100_000)
      }
    }
  }

  @Test("all visits with the same arrival are found, even at the end of a page", arguments: StoreKind.tested)
  func sameArrival(_ kind: StoreKind) async throws {
    try await Self.with(on: kind, Self.houses) { store, device, _, geocoder, _ in
      try await Self.addVisits(Geocoder.page + 50, of: device, to: store)
      let requested = try await geocoder.runOnce()
      #expect(requested == Geocoder.page + 54)
    }
  }
}
