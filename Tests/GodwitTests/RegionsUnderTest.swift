import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import GodwitWire
import Synchronization
import Testing

@testable import Godwit

/// Returns a circular geofence `north` metres north of the home of the tests.
func fence(
  _ id: String, north: Double = 0, radius: Double = 200, tags: [String] = [], dwell: Double? = nil, name: String = ""
) -> Region {
  Region(id: id, name: name, shape: .circle(Circle(center: place(north: north), radius: radius)), tags: tags, dwell: dwell)
}

/// Returns the place `north` metres north of the home of the tests.
func place(north: Double) -> Coordinate {
  // Valid: inside the ranges.
  GreatCircle.destination(from: Coordinate(latitude: 45.5, longitude: 14)!, course: 0, distance: north)
}

/// Returns a fix `seconds` after the start, `north` metres north of the home of the tests.
func fix(_ seconds: Double, north: Double, accuracy: Double = 10) -> Fix {
  Fix(time: start.addingTimeInterval(seconds), coordinate: place(north: north), horizontalAccuracy: accuracy)
}

/// One region of each kind.
let everyKind: [Region] = [
  fence("circle", tags: ["b", "a"], dwell: 300, name: "Über"),
  Region(
    id: "hours", shape: .circle(Circle(center: place(north: 500), radius: 150.5)),
    schedule: RegionSchedule(windows: [RegionSchedule.Window(days: [.monday], from: 540, to: 1020)], timeZone: "Europe/Ljubljana")
  ),
  Region(
    id: "park",
    // Valid: a triangle, in range.
    shape: .polygons(
      MultiPolygon([
        try! Polygon(outer: [place(north: 1_000), place(north: 2_000), Coordinate(latitude: 45.5, longitude: 14.1)!])  // valid
      ])!),  // not empty
    extras: #"{"fill":"green"}"#),
  Region(
    id: "door",
    shape: .beacon(
      Beacon(identity: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 3, minor: 4), place: place(north: 50)))),
]

/// A server of regions in memory, with the documented protocol.
final class RegionServer: Sendable {
  struct State: Sendable {
    var epoch = "one"
    var revision: Int64 = 0
    /// By ID: the region and the revision of its last change; `nil`: deleted.
    var regions: [String: (region: Region?, revision: Int64)] = [:]
    /// Cursors below this are too old.
    var oldest: Int64 = 0
    var requests: [HTTPClient.Request] = []
    /// Responses instead of the page with this number, counted from 1.
    var instead: [Int: HTTPClient.Response] = [:]
    /// A digest that is sent instead of that of the regions.
    var digest: String?
  }

  let state = Mutex(State())

  var client: HTTPClient { HTTPClient { [self] in respond($0) } }
  var requests: [HTTPClient.Request] { state.withLock { $0.requests } }
  var queries: [String] { requests.map { $0.url.query ?? "" } }

  func put(_ regions: [Region]) {
    state.withLock { state in
      for region in regions {
        state.revision += 1
        state.regions[region.id] = (region, state.revision)
      }
    }
  }

  func delete(_ id: String) {
    state.withLock { state in
      state.revision += 1
      state.regions[id] = (nil, state.revision)
    }
  }

  var digest: String {
    state.withLock {
      $0.regions.values.compactMap(\.region).reduce(into: RegionDigest.empty) { $0.toggle(RegionDigest(of: $1)) }.description
    }
  }

  private func respond(_ request: HTTPClient.Request) -> HTTPClient.Response {
    let digest = digest
    return state.withLock { state in
      state.requests.append(request)
      if let response = state.instead[state.requests.count] { return response }
      let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
      func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
      let first = value("first").flatMap { Int($0) } ?? 500
      let parts = value("after")?.split(separator: "-").map(String.init) ?? []
      var after = parts.count == 2 && parts[0] == state.epoch ? Int64(parts[1]) : nil
      if let known = after, known < state.oldest {
        after = nil
        // The cursors of new pages are valid.
        state.oldest = 0
      }
      let tag = "\"\(digest)-\(state.revision)\""
      if after == state.revision, request.headers["If-None-Match"] == tag { return HTTPClient.Response(status: 304) }
      let changed = state.regions.filter { $0.value.revision > after ?? 0 && (after != nil || $0.value.region != nil) }
        .sorted { $0.value.revision < $1.value.revision }
      var body: [UInt8] = []
      var page = RegionPageWriter(epoch: state.epoch, reset: value("after") != nil && after == nil, into: &body)
      for (id, entry) in changed.prefix(first) {
        if let region = entry.region {
          page.append(.region(region, revision: entry.revision), into: &body)
        } else {
          page.append(.deleted(id: id, revision: entry.revision), into: &body)
        }
      }
      let hasMore = changed.count > first
      let end = hasMore ? changed[first - 1].value.revision : state.revision
      page.finish(
        endCursor: "\(state.epoch)-\(end)", hasNextPage: hasMore, digest: state.digest ?? digest,
        count: state.regions.count, into: &body)
      return HTTPClient.Response(status: 200, headers: ["etag": tag], body: body)
    }
  }
}

/// A copy of the regions of a server in its own folder.
final class SyncedRegions: Sendable {
  let folder: TemporaryFolder
  let clock: VirtualClock
  let server: RegionServer
  let manager: RegionManager
  let participant: RegionSync
  let coordinator: SyncCoordinator

  init(
    _ server: RegionServer = RegionServer(), folder: TemporaryFolder? = nil, clock: VirtualClock = VirtualClock(),
    choice: RegionSync.Choice = RegionSync.Choice(), others: [any SyncParticipant] = [],
    change: (inout SyncCoordinator.Configuration) -> Void = { _ in }
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    (self.folder, self.clock, self.server) = (folder, clock, server)
    let environment = clock.environment(server.client)
    manager = try RegionManager(path: folder.journal + ".regions", environment: environment)
    participant = RegionSync(manager: manager, choice: choice)
    var configuration = SyncCoordinator.Configuration(
      server: try #require(URL(string: "https://home.example/base")), token: .fixed("secret-token"), environment: environment)
    change(&configuration)
    coordinator = SyncCoordinator(configuration: configuration, participants: [participant] + others)
  }

  func sync() async -> SyncCoordinator.Result { await coordinator.sync().result }
  var ids: [String] { manager.regions.map(\.id) }
}
