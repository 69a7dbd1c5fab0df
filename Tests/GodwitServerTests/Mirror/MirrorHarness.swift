import Foundation
import GodwitHTTPClient
import GodwitModel
import GodwitServices
import Synchronization
import TestClient
import Testing

@testable import GodwitMirror
@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

/// A store with a mirror. The mirror is a complete server in this process, behind a network with faults that a test chooses.
final class MirrorHarness {
  /// A fault of the network for one request.
  enum Fault: CaseIterable {
    /// The request is not delivered.
    case unreachable
    /// The request is delivered, and its response is lost.
    case losesResponse
    /// The request is delivered twice.
    case repeats
  }

  /// The network between the store and the mirror.
  ///
  /// `@unchecked Sendable`: the server is used by one request at a time.
  final class Network: @unchecked Sendable {
    private struct State {
      var faults: [Fault] = []
      var isDown = false
      var requests = 0
      var attempts = 0
    }
    private let state = Mutex(State())
    private let line = NSLock()
    private let server: AccountServer

    init(_ server: AccountServer) { self.server = server }

    /// The number of delivered requests.
    var requests: Int { state.withLock { $0.requests } }
    /// The number of attempted requests.
    var attempts: Int { state.withLock { $0.attempts } }
    var isDown: Bool {
      get { state.withLock { $0.isDown } }
      set { state.withLock { $0.isDown = newValue } }
    }
    /// Adds faults for the next requests.
    func add(_ faults: [Fault]) { state.withLock { $0.faults += faults } }

    var client: HTTPClient {
      HTTPClient { [self] request in
        let fault = state.withLock { state -> Fault? in
          state.attempts += 1
          if state.isDown { return .unreachable }
          return state.faults.isEmpty ? nil : state.faults.removeFirst()
        }
        if fault == .unreachable { throw HTTPError("There is no network.") }
        let response = try await WorkQueue(.global()).run { self.deliver(request) }
        if fault == .losesResponse { throw HTTPError("The connection was lost.") }
        return fault == .repeats ? try await WorkQueue(.global()).run { self.deliver(request) } : response
      }
    }

    private func deliver(_ request: HTTPClient.Request) -> HTTPClient.Response {
      line.withLock {
        state.withLock { $0.requests += 1 }
        let target = request.url.path(percentEncoded: true) + "?" + (request.url.query(percentEncoded: true) ?? "")
        let response = server.send(
          request.method, target, as: AccountServer.Caller(headers: request.headers),
          body: String(decoding: request.body, as: UTF8.self))
        return HTTPClient.Response(status: response.status, headers: response.headers, body: Array(response.body))
      }
    }
  }

  let place: ContractStore
  let target: AccountServer
  let network: Network
  let clock = VirtualClock(walkStart)
  /// The store that is copied to the mirror.
  private(set) var store: any StoreDatabase
  private(set) var sender: MirrorSender
  let options: MirrorOptions

  private init(_ kind: StoreKind, _ target: AccountServer, adopts: Bool, token: String?) throws {
    self.target = target
    place = try ContractStore(kind)
    network = Network(target)
    let token = try token ?? target.administratorToken
    var options = try #require(MirrorOptions(url: "https://copy.example.org/", token: token))
    options.adoptsDevices = adopts
    self.options = options
    store = try Self.open(place, clock)
    sender = MirrorSender(store, to: options, network: network.client, random: { 0.5 })
  }

  /// Runs `body` with a store and a mirror of the same kind.
  static func with(
    _ kind: StoreKind, adopts: Bool = false, token: ((AccountServer) async throws -> String)? = nil,
    _ body: (MirrorHarness) async throws -> Void
  ) async throws {
    try await AccountServer.with(on: kind) { target in
      let harness = try MirrorHarness(kind, target, adopts: adopts, token: try await token?(target))
      defer {
        harness.store.close()
        harness.place.end()
      }
      try await harness.sender.configure()
      try await body(harness)
    }
  }

  private static func open(_ place: ContractStore, _ clock: VirtualClock) throws -> any StoreDatabase {
    let store = try place.location().open(clock: clock.clock)
    if place.kind.isSealed { store.addParticipant(ImmediateSealing()) }
    return store
  }

  /// The store of the mirror.
  var copy: any StoreDatabase { target.server.store }

  /// Closes the store and its sender, and opens them again.
  func restart() async throws {
    store.close()
    store = try Self.open(place, clock)
    sender = MirrorSender(store, to: options, network: network.client, random: { 0.5 })
    try await sender.configure()
    // With a shared database, another server continues when the lease expires.
    if store.dialect.isShared { await clock.advance(by: .seconds(200)) }
  }

  /// Sends until all changes are copied. After a failure the clock advances by an hour.
  func settle() async throws {
    for _ in 0..<1_000 {
      if try await sender.step() { continue }
      guard let state = try state, state.failures > 0 else { return }
      await clock.advance(by: .seconds(3_600))
    }
    Issue.record("the mirror is incomplete after 1,000 steps")
  }

  var state: MirrorState? { get throws { try store.read { try MirrorState($0) } } }

  /// All records of a device, without the receive times, which a mirror does not store.
  static func records(of name: String, in store: any StoreDatabase) throws -> [Record] {
    guard let device = try store.device(named: name) else { return [] }
    let points = try store.allPoints(PointQuery(device: device.id, limit: 1_000)).map(\.record)
    return (points + (try store.events(device: device.id, from: nil, to: nil))).map { record in
      var record = record
      record.received = nil
      return record
    }
  }

  /// Expects that the store and the mirror have the same devices with the same records.
  func expectSame(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let names = try store.devices().map(\.device.name)
    #expect(try copy.devices().map(\.device.name) == names, sourceLocation: sourceLocation)
    for name in names {
      let (own, other) = (try Self.records(of: name, in: store), try Self.records(of: name, in: copy))
      #expect(own.count == other.count, "\(name)", sourceLocation: sourceLocation)
      let different = Set(own).symmetricDifference(Set(other)).sorted { $0.time < $1.time }
      let shown = different.prefix(2).map { "\($0)".prefix(300) }
      #expect(shown == [], "\(name): \(different.count)", sourceLocation: sourceLocation)
    }
    #expect(
      try copy.devices().map(\.points) == store.devices().map(\.points), "the counts of points", sourceLocation: sourceLocation)
  }

  /// A fix with a varying context and extras.
  static func fix(_ second: Int, journal: UInt64) throws -> Record {
    let context = DeviceContext(
      wifi: second % 7 == 0 ? "home \(second % 3)" : nil, tripID: second % 50 < 20 ? "T\(second / 50)" : nil, deviceID: "phone")
    return try step(second, journal: journal, context: context, extras: second % 11 == 0 ? #"{"pace":\#(second)}"# : nil)
  }

  static func visit(_ second: Int) throws -> Record {
    let time = walkStart.addingTimeInterval(Double(second))
    return Record(
      kind: .visit(
        Visit(
          time: time.addingTimeInterval(60), coordinate: try coordinate(47, 10), horizontalAccuracy: 20, arrival: time,
          departure: time.addingTimeInterval(50))))
  }

  static func action(_ second: Int, _ name: String) throws -> Record {
    Record(kind: .action(Action(time: walkStart.addingTimeInterval(Double(second)), name: name, coordinate: nil)))
  }

  static func trip(_ second: Int) throws -> Record {
    let start = walkStart.addingTimeInterval(Double(second))
    return Record(
      kind: .trip(
        Trip(
          start: start, end: start.addingTimeInterval(300), mode: "walk", duration: 300, distance: 412.5, steps: 530)))
  }
}
