public import Foundation
public import GodwitDelivery
internal import GodwitEngine
public import GodwitHTTPClient
internal import GodwitLocks
internal import GodwitModel
internal import GodwitWire

/// Keeps copies of a server's data up to date: one sync at a time, in which all participants send requests concurrently.
///
///     let sync = SyncCoordinator(configuration: .init(server: url, token: .fixed(token)), participants: [menus])
///     Task { try await sync.run() }
///
/// ``run()`` syncs at once, then on a schedule and after each ``hint()`` of a change. `sync()` syncs now.
public actor SyncCoordinator {
  /// The server, the schedule of syncs and the limits of requests.
  public struct Configuration: Sendable {
    /// The base of all addresses: `https://home.example`, or with a path prefix.
    public var server: URL
    /// The device's token, sent as `Authorization: Bearer`.
    public var token: TokenSource
    /// Further headers, for example those of a reverse proxy.
    public var headers: [String: String]
    public var trust = TLSTrust.system
    /// The timeout of a request in seconds.
    public var timeout: Double = 60
    /// Seconds between two syncs, with a random deviation of ±10 %, so that devices do not sync at the same time.
    public var interval: Double = 6 * 3600
    /// Seconds after a sync in which a launch starts no new sync, because region events may launch a program often.
    public var launchInterval: Double = 900
    public var environment: TrackerEnvironment

    /// - Parameters:
    ///   - server: the base of all addresses.
    ///   - token: sent as `Authorization: Bearer`.
    ///   - headers: further headers.
    ///   - environment: clock, random source and network.
    public init(
      server: URL, token: TokenSource = .none, headers: [String: String] = [:], environment: TrackerEnvironment = .live()
    ) {
      self.server = server
      self.token = token
      self.headers = headers
      self.environment = environment
    }
  }

  private enum Wake: Sendable {
    case hint
    case due(Int)
  }

  private let configuration: Configuration
  private let participants: Mutex<[any SyncParticipant]>
  private let tokens = Tokens()
  private var running: Task<SyncCoordinator.Outcome, Never>?
  /// The stream of the current ``run()``, because a stream ends with the task that reads it; between two runs, whether a hint came.
  private let wakes = Mutex((stream: AsyncStream<Wake>.Continuation?.none, hasHint: false))
  private let memory: SyncMemory

  /// Maximum pages of one sync. The limit ends a sync with a server whose pages never end.
  static let maximumPages = 100_000
  /// Seconds before each retry after a failure.
  static let backoff = ExponentialBackoff(first: 30, maximum: 3600)

  /// - Parameters:
  ///   - configuration: the server, and the schedule.
  ///   - participants: the initial participants; more can be added.
  public init(configuration: Configuration, participants: [any SyncParticipant] = []) {
    self.init(configuration: configuration, participants: participants, memory: SyncMemory())
  }

  init(configuration: Configuration, participants: [any SyncParticipant], memory: SyncMemory) {
    self.configuration = configuration
    self.participants = Mutex(participants)
    self.memory = memory
  }

  /// Adds a participant, from the next sync on. It replaces one of the same name.
  public nonisolated func add(_ participant: some SyncParticipant) {
    participants.withLock { all in
      all.removeAll { $0.name == participant.name }
      all.append(participant)
    }
  }

  // MARK: Syncing

  /// Syncs now. A call during a sync waits for it and returns its outcome.
  public func sync() async -> SyncCoordinator.Outcome {
    if let running { return await running.value }
    // A separate task, because several callers wait for it.
    let task = configuration.environment.task { await self.syncOnce() }
    running = task
    memory.begin(configuration.environment.now())
    return await task.value
  }

  private func syncOnce() async -> SyncCoordinator.Outcome { end(await syncAll()) }

  /// Ends the sync before its callers resume, so that a new call starts a new sync.
  private func end(_ outcome: SyncCoordinator.Outcome) -> SyncCoordinator.Outcome {
    running = nil
    if !outcome.hasFailures { memory.write(configuration.environment.now()) }
    return outcome
  }

  // No default for the closure: `await sync()` must select the other overload.
  /// Syncs now, in the background.
  public nonisolated func sync() { sync {} }

  /// Syncs now, in the background.
  /// - Parameter completion: called on the main thread when the sync has ended.
  public nonisolated func sync(completion: @escaping @MainActor @Sendable () -> Void) {
    configuration.environment.task {
      _ = await self.sync()
      await completion()
    }
  }

  /// Syncs now, in the background.
  /// - Parameter completion: called on the main thread with the outcome.
  public nonisolated func sync(completion: @escaping @MainActor @Sendable (SyncCoordinator.Result) -> Void) {
    configuration.environment.task {
      let outcome = await self.sync()
      await completion(outcome.result)
    }
  }

  private func syncAll() async -> SyncCoordinator.Outcome {
    let all = participants.withLock { $0 }
    return await withTaskGroup(of: (String, SyncCoordinator.Result, Double?).self) { group in
      for participant in all {
        group.addTask { [self] in
          let (result, retryAfter) = await sync(participant)
          await participant.syncEnded(result)
          return (participant.name, result, retryAfter)
        }
      }
      var outcome = SyncCoordinator.Outcome(results: [:])
      for await (name, result, retryAfter) in group {
        outcome.results[name] = result
        if let retryAfter { outcome.retryAfter = max(retryAfter, outcome.retryAfter ?? 0) }
      }
      return outcome
    }
  }

  /// Syncs one participant, page by page.
  private nonisolated func sync(_ participant: any SyncParticipant) async -> (SyncCoordinator.Result, retryAfter: Double?) {
    var hasNewData = false
    do {
      guard var request = try await participant.initialRequest() else { return (.noData, nil) }
      for _ in 0..<Self.maximumPages {
        let response = try await send(request)
        guard (200..<300).contains(response.status) || response.status == 304 else {
          return (.failed(await problem(response)), response.retryAfter(now: configuration.environment.now()))
        }
        let step = try await participant.saveResponse(
          SyncCoordinator.Response(status: response.status, headers: response.headers, body: response.body))
        switch step {
        case .newData(nil): return (.newData, nil)
        case .newData(let next?):
          hasNewData = true
          request = next
        case .more(let next): request = next
        case .noData: return (hasNewData ? .newData : .noData, nil)
        case .failed(let reason): return (.failed(reason), nil)
        }
        try Task.checkCancellation()
      }
      return (.failed("The server's list of pages does not end."), nil)
    } catch let error as TokenError {
      return (.failed("There is no token: \(error.reason)"), nil)
    } catch {
      return (.failed(await hidden("\(error)")), nil)
    }
  }

  // MARK: Requests

  /// The server as an endpoint, which identifies it to the token source.
  private nonisolated var endpoint: Endpoint {
    Endpoint(
      id: EndpointID("sync"), address: URLTemplate(configuration.server), token: configuration.token,
      headers: configuration.headers)
  }

  private nonisolated func send(_ request: SyncCoordinator.Request) async throws -> HTTPClient.Response {
    let token = try await tokens.token(for: endpoint)
    let response = try await configuration.environment.client.send(try outgoing(request, token))
    // An expired token is refreshed once; a second 401 is final.
    guard response.status == 401, configuration.token.canRefresh else { return response }
    let renewed = try await tokens.token(for: endpoint, rejected: token)
    return try await configuration.environment.client.send(try outgoing(request, renewed))
  }

  private nonisolated func outgoing(_ request: SyncCoordinator.Request, _ token: String?) throws -> HTTPClient.Request {
    guard var components = URLComponents(url: configuration.server, resolvingAgainstBaseURL: true) else {
      throw HTTPError("The server's address is not valid.")
    }
    let base = components.percentEncodedPath
    components.path = (base.hasSuffix("/") ? String(base.dropLast()) : base) + request.path
    components.queryItems = request.query.isEmpty ? nil : request.query
    // Otherwise a plus sign in a value would be decoded as a space.
    components.percentEncodedQuery = components.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
    guard let url = components.url else { throw HTTPError("\"\(request.path)\" is not a path of an address.") }
    var headers = request.headers
    headers["User-Agent"] = "Godwit/0.1"
    if let token, !token.isEmpty { headers["Authorization"] = "Bearer \(token)" }
    // User headers override defaults; names are case-insensitive.
    for name in headers.keys where configuration.headers.keys.contains(where: { $0.lowercased() == name.lowercased() }) {
      headers[name] = nil
    }
    headers.merge(configuration.headers) { _, owner in owner }
    return HTTPClient.Request(
      method: "GET", url: url, headers: headers, timeout: configuration.timeout, trust: configuration.trust)
  }

  private nonisolated func problem(_ response: HTTPClient.Response) async -> String {
    let server = Endpoint.shown(configuration.server)
    switch response.status {
    case 300..<400:
      let target = response.headers["location"].flatMap { URL(string: $0, relativeTo: configuration.server) }
      return "\(server) redirects\(target.map { " to " + Endpoint.shown($0) } ?? ""). Name the address that it redirects to."
    case 401, 403: return "\(server) answered with status \(response.status): is the token right?"
    default:
      let object = (try? JSONSerialization.jsonObject(with: Data(response.body))) as? [String: Any]
      let said = object?["detail"] as? String ?? object?["error"] as? String
      return await hidden("\(server) answered with status \(response.status)\(said.map { ": \($0)" } ?? ".")")
    }
  }

  private nonisolated func hidden(_ text: String) async -> String { await tokens.secrets(of: endpoint).hidden(in: text) }

  // MARK: The schedule

  /// Reports a change on the server. ``run()`` then syncs at once. After a failed sync the hint is ignored, and the next sync
  /// follows at its scheduled time.
  public nonisolated func hint() {
    wakes.withLock { wakes in
      if let stream = wakes.stream { stream.yield(.hint) } else { wakes.hasHint = true }
    }
  }

  /// Syncs on the schedule until its task is cancelled. It may run again after that, but not twice at a time.
  public func run() async throws {
    let (stream, wakeUps) = AsyncStream<Wake>.makeStream(bufferingPolicy: .bufferingNewest(16))
    wakes.withLock { wakes in
      if wakes.hasHint { wakeUps.yield(.hint) }
      wakes = (wakeUps, false)
    }
    defer {
      running?.cancel()
      wakes.withLock { $0.stream = nil }
    }
    var failures = 0
    var wait = firstWait()
    var timer = 0
    while true {
      if wait > 0 {
        timer += 1
        let sleeping = setTimer(timer, after: wait, wakeUps)
        defer { sleeping.cancel() }
        waiting: for await wake in stream {
          switch wake {
          case .due(timer): break waiting
          case .hint where failures == 0: break waiting
          // An outdated timer, or a hint that must wait.
          case .due, .hint: continue
          }
        }
      }
      try Task.checkCancellation()
      let outcome = await sync()
      try Task.checkCancellation()
      failures = outcome.hasFailures ? failures + 1 : 0
      wait = failures == 0 ? scheduled() : retry(after: failures, asked: outcome.retryAfter)
    }
  }

  private func setTimer(_ number: Int, after seconds: Double, _ wakeUps: AsyncStream<Wake>.Continuation) -> Task<Void, Never> {
    configuration.environment.task {
      [sleep = configuration.environment.sleep] in
      guard (try? await sleep(seconds)) != nil else { return }
      wakeUps.yield(.due(number))
    }
  }

  /// Returns the seconds before the first sync: the remainder of the scheduled interval after a recent sync, otherwise 0. An unfinished
  /// sync is repeated after the first backoff: its last response may be lost, and the server does not hint at that change again.
  private func firstWait() -> Double {
    let now = configuration.environment.now()
    if let begun = memory.unfinished() {
      let since = now.timeIntervalSince(begun)
      return since >= 0 ? max(0, Self.backoff.first - since) : 0
    }
    guard let last = memory.read() else { return 0 }
    let since = now.timeIntervalSince(last)
    return since >= 0 && since < configuration.launchInterval ? max(1, scheduled() - since) : 0
  }

  private func scheduled() -> Double { max(1, configuration.interval * (0.9 + 0.2 * configuration.environment.random())) }

  private func retry(after failures: Int, asked: Double?) -> Double {
    let maximum = min(Self.backoff.pause(after: failures), max(1, configuration.interval))
    let chosen = maximum * (0.5 + 0.5 * configuration.environment.random())
    return max(chosen, asked ?? 0)
  }
}

/// Stores the times of the last sync across launches.
struct SyncMemory: Sendable {
  /// Returns the time of the last successful sync; `nil`: none.
  var read: @Sendable () -> Date?
  /// Records the time of a successful sync.
  var write: @Sendable (Date) -> Void
  /// Records the time at which a sync started.
  var begin: @Sendable (Date) -> Void
  /// Returns the start of a sync that has not succeeded since; `nil`: none.
  var unfinished: @Sendable () -> Date?

  /// Stores nothing.
  init() {
    self.init(read: { nil }, write: { _ in })
  }

  init(
    read: @escaping @Sendable () -> Date?, write: @escaping @Sendable (Date) -> Void,
    begin: @escaping @Sendable (Date) -> Void = { _ in }, unfinished: @escaping @Sendable () -> Date? = { nil }
  ) {
    self.read = read
    self.write = write
    self.begin = begin
    self.unfinished = unfinished
  }
}
