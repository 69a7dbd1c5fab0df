import Foundation
import GodwitHTTPClient
import GodwitModel
import GodwitServices
import Synchronization
import Testing

@testable import GodwitGeofencing
@testable import GodwitRegions
@testable import GodwitSecrets
@testable import GodwitServer
@testable import GodwitStore

/// A clock that advances only when the test advances it. Sleeping advances it immediately.
final class ManualClock: Sendable {
  private struct State {
    var now: Date
    var uptime = Duration.zero
    var alarms: [(time: Duration, action: @Sendable () -> Void)] = []
    var waiting: CheckedContinuation<Void, Never>?
  }
  private let state: Mutex<State>
  static let start = Date(timeIntervalSince1970: 1_700_000_000)

  init(_ now: Date = start) { state = Mutex(State(now: now)) }

  var now: Date { state.withLock { $0.now } }

  var clock: ServerClock {
    ServerClock(
      now: { self.now }, uptime: { self.state.withLock { $0.uptime } },
      sleep: { [clock = self] in clock.sleep($0 / .seconds(1)) },
      wake: { duration, action in
        let waiting = self.state.withLock { state in
          state.alarms.append((state.uptime + duration, action))
          defer { state.waiting = nil }
          return state.waiting
        }
        waiting?.resume()
      })
  }

  /// Waits for an alarm, and advances to the earliest one.
  func nextAlarm() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if !state.alarms.isEmpty { return true }
        state.waiting = continuation
        return false
      }
      if isThere { continuation.resume() }
    }
    let due = state.withLock { state in
      let next = max(state.uptime, state.alarms.map(\.time).min() ?? .zero)
      state.now += (next - state.uptime) / .seconds(1)
      state.uptime = next
      let due = state.alarms.filter { $0.time <= next }
      state.alarms.removeAll { $0.time <= next }
      return due
    }
    for alarm in due { alarm.action() }
  }

  /// Advances without firing alarms, as if the machine had slept.
  func sleep(_ seconds: Double) {
    state.withLock { state in
      state.now += seconds
      state.uptime += .seconds(seconds)
    }
  }

  /// Changes the date by a number of seconds without a change of the uptime, as a time server does.
  func changeDate(by seconds: Double) { state.withLock { $0.now += seconds } }
}

/// A transport whose responses the test decides.
final class ManualTransport: WebhookTransport {
  /// A sent delivery.
  struct Sent: Sendable {
    var url: String
    var headers: [String: String]
    var body: String
    fileprivate var completion: @Sendable (Result<HTTPClient.Response, HTTPError>) -> Void

    var event: String { headers["Godwit-Event-ID"] ?? "" }
    /// The device, the `type` and the region of the event.
    var summary: String {
      let object = (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] ?? [:]
      let region = object["region"] as? [String: Any] ?? [:]
      return "\(object["device"] ?? "") \(object["type"] ?? "") \(region["id"] ?? "")"
    }

    func respond(_ status: Int, retryAfter: String? = nil, body: String = "") {
      completion(
        .success(
          HTTPClient.Response(
            status: status, headers: retryAfter.map { ["retry-after": $0] } ?? [:], body: Array(body.utf8))))
    }
    func fail(_ why: String) { completion(.failure(HTTPError(why))) }
  }

  private let deliveries: AsyncStream<Sent>
  private let found: AsyncStream<Sent>.Continuation

  init() { (deliveries, found) = AsyncStream.makeStream() }

  func send(_ request: WebhookRequest, completion: @escaping @Sendable (Result<HTTPClient.Response, HTTPError>) -> Void) {
    found.yield(
      Sent(
        url: request.url, headers: request.headers,
        body: String(decoding: request.body, as: UTF8.self), completion: completion))
  }

  func close() {}

  /// The next sent delivery.
  func next() async throws -> Sent { try #require(await deliveries.first { _ in true }) }
}

extension AgreedTime {
  /// Uses the server's own time, because the clocks of the tests agree.
  static let own = AgreedTime { _, own in own }
}

/// A store with webhooks, and a sender with a manual clock.
final class WebhookHarness {
  private let place: ContractStore
  let clock: ManualClock
  private(set) var store: any StoreDatabase
  private(set) var transport = ManualTransport()
  private(set) var metrics = WebhookMetrics()
  private(set) var sender: WebhookSender
  private var geofenceEvaluator: GeofenceEvaluator

  private let agreed: AgreedTime

  /// Creates a harness with an empty store.
  /// - Parameter agreed: the time on which the servers agree.
  init(_ kind: StoreKind, agreed: AgreedTime = .own) throws {
    self.agreed = agreed
    place = try ContractStore(kind)
    clock = ManualClock()
    store = place.store
    geofenceEvaluator = GeofenceEvaluator(source: nil, agreed: agreed)
    sender = WebhookSender(
      store: store, transport: transport, clock: clock.clock, agreed: agreed, random: { 0.5 }, metrics: metrics)
    open()
  }

  deinit {
    store.close()
    place.end()
  }

  private func open() {
    store.addParticipant(geofenceEvaluator)
    store.observeCommits { [geofenceEvaluator, sender] _ in sender.deliver(geofenceEvaluator.takeKeys()) }
    sender.start()
  }

  /// Simulates a crash: later responses are lost, and another server opens the store. With a shared database, the leases of current
  /// deliveries are not released, so the next server starts after their expiry.
  func crash() throws {
    store.close()
    if place.kind.isPostgres { clock.sleep(WebhookSender.lease) }
    store = try place.openAgain()
    geofenceEvaluator = GeofenceEvaluator(source: nil, agreed: agreed)
    transport = ManualTransport()
    metrics = WebhookMetrics()
    sender = WebhookSender(
      store: store, transport: transport, clock: clock.clock, agreed: agreed, random: { 0.5 }, metrics: metrics)
    open()
  }

  @discardableResult
  func addWebhook(_ change: (inout WebhookOptions) -> Void = { _ in }) async throws -> Webhook {
    var options = WebhookOptions(url: "https://example.org/hook")
    change(&options)
    let (fixed, now) = (options, clock.now)
    return try await store.write {
      try WebhookTables.add(fixed, secret: "whsec_0123456789abcdef", isEnabled: true, at: now, $0)
    }
  }

  func device(_ name: String = "phone") throws -> Device {
    try store.device(named: name) ?? store.addDevice(named: name, tokenHash: AccessToken().hash, at: clock.now)
  }

  /// Stores region events that a device reports.
  @discardableResult
  func submit(_ events: [RegionEvent], device name: String = "phone") async throws -> SubmissionResult {
    try await store.store(events.map { Record(kind: .region($0)) }, of: try device(name), at: clock.now)
  }

  func counts() throws -> (waiting: Int, dead: Int) { try store.read { try WebhookTables.counts($0) } }
}

/// A region event of a device.
func regionEvent(
  _ kind: RegionEvent.Kind, _ region: String = "home", second: Double = 0, tags: [String] = [], beacon: BeaconIdentity? = nil
) -> RegionEvent {
  RegionEvent(
    time: ManualClock.start.addingTimeInterval(second), kind: kind,
    region: RegionMention(id: region, name: region.capitalized, tags: tags, radius: beacon == nil ? 100 : nil, beacon: beacon))
}
