import Foundation
import GodwitDelivery
import GodwitHTTPClient
import Synchronization
import Testing

@testable import Godwit

/// Data of an app that is synced: pages of numbers.
private final class Numbers: SyncParticipant {
  let name: String
  private let state = Mutex((next: 0, got: [String]()))
  private let pages: Int

  init(_ name: String, pages: Int = 3) { (self.name, self.pages) = (name, pages) }

  var got: [String] { state.withLock { $0.got } }

  private func request() -> SyncCoordinator.Request? {
    let next = state.withLock { $0.next }
    return next < pages
      ? SyncCoordinator.Request(
        path: "/api/\(name)", query: [URLQueryItem(name: "after", value: "\(next)")], headers: ["X-Part": name]) : nil
  }

  func initialRequest() async throws -> SyncCoordinator.Request? { request() }

  func saveResponse(_ response: SyncCoordinator.Response) async throws -> SyncCoordinator.Step {
    state.withLock { state in
      state.got.append(String(decoding: response.body, as: UTF8.self))
      state.next += 1
    }
    return .newData(next: request())
  }
}

/// A server whose responses a test can hold back.
private final class PatientServer: Sendable {
  private struct State {
    var requests: [HTTPClient.Request] = []
    var waiting: [AsyncStream<HTTPClient.Response>.Continuation] = []
    var isOpen = true
    var status = 200
    var headers: [String: String] = [:]
  }
  private let state = Mutex(State())
  let arrivals = AsyncStream<Void>.makeStream()

  init(isOpen: Bool = true) { state.withLock { $0.isOpen = isOpen } }

  var client: HTTPClient {
    HTTPClient { [self] request in
      let (responses, response) = AsyncStream<HTTPClient.Response>.makeStream()
      let now = state.withLock { state -> HTTPClient.Response? in
        state.requests.append(request)
        guard !state.isOpen else {
          let query = request.url.query ?? ""
          return HTTPClient.Response(
            status: state.status, headers: state.headers, body: Array("\(request.url.path)?\(query)".utf8))
        }
        state.waiting.append(response)
        return nil
      }
      arrivals.continuation.yield()
      if let now { return now }
      for await response in responses { return response }
      throw CancellationError()
    }
  }

  var requests: [HTTPClient.Request] { state.withLock { $0.requests } }
  func set(status: Int, headers: [String: String] = [:]) { state.withLock { ($0.status, $0.headers) = (status, headers) } }

  func open() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      state.isOpen = true
      return state.waiting
    }
    for response in waiting {
      response.yield(HTTPClient.Response(status: 200, body: Array("late".utf8)))
      response.finish()
    }
  }
}

@Suite("The coordinator of syncs", .timeLimit(.minutes(20)))
struct SyncCoordinatorTests {
  fileprivate func coordinator(
    _ server: PatientServer, _ participants: [any SyncParticipant], clock: VirtualClock = VirtualClock(),
    memory: SyncMemory = SyncMemory(), token: TokenSource = .none,
    change: (inout SyncCoordinator.Configuration) -> Void = { _ in }
  ) throws -> SyncCoordinator {
    var configuration = SyncCoordinator.Configuration(
      server: try #require(URL(string: "https://home.example")), token: token, environment: clock.environment(server.client))
    change(&configuration)
    return SyncCoordinator(configuration: configuration, participants: participants, memory: memory)
  }

  @Test("data of an app's participant is synced page by page")
  func ownThings() async throws {
    let (server, menus) = (PatientServer(), Numbers("menus"))
    let coordinator = try coordinator(server, [menus])
    #expect(await coordinator.sync() == SyncCoordinator.Outcome(results: ["menus": .newData]))
    #expect(menus.got == ["/api/menus?after=0", "/api/menus?after=1", "/api/menus?after=2"])
    #expect(server.requests.allSatisfy { $0.headers["X-Part"] == "menus" && $0.headers["Authorization"] == nil })
    // Without a type annotation the call resolves to the asynchronous overload.
    let outcome = await coordinator.sync()
    #expect(outcome.result == .noData)
  }

  @Test("one sync at a time: a request during a sync gets its result", .timeLimit(.minutes(20)))
  func once() async throws {
    let (server, menus) = (PatientServer(isOpen: false), Numbers("menus", pages: 1))
    let coordinator = try coordinator(server, [menus])
    async let first = coordinator.sync()
    for await _ in server.arrivals.stream { break }
    async let second = coordinator.sync()
    // Gives the second call time to reach the actor.
    for _ in 0..<100 { await Task.yield() }
    server.open()
    let outcomes = await [first, second]
    #expect(outcomes[0] == outcomes[1] && outcomes[0].result == .newData)
    #expect(server.requests.count == 1)
  }

  @Test("a failing participant does not stop the others, and all requests are sent at once", .timeLimit(.minutes(20)))
  func independent() async throws {
    struct Broken: SyncParticipant {
      let name = "broken"
      func initialRequest() async throws -> SyncCoordinator.Request? { throw HTTPError("the disk is full") }
      func saveResponse(_ response: SyncCoordinator.Response) async throws -> SyncCoordinator.Step { .noData }
    }
    let server = PatientServer(isOpen: false)
    let parts = [Numbers("a", pages: 1), Numbers("b", pages: 1)]
    let coordinator = try coordinator(server, parts + [Broken()])
    async let outcome = coordinator.sync()
    var arrived = 0
    for await _ in server.arrivals.stream {
      arrived += 1
      if arrived == 2 { break }
    }
    server.open()
    let ended = await outcome
    #expect(ended.results == ["a": .newData, "b": .newData, "broken": .failed("the disk is full")])
    #expect(ended.result == .newData && ended.hasFailures)
  }

  @Test(
    "a rejection by the server is reported with the reason and without the token",
    arguments: [
      (401, [:], "is the token right?"), (302, ["location": "https://other.example/x"], "redirects to https://other.example/x"),
      (500, [:], "status 500"),
    ] as [(Int, [String: String], String)])
  func rejected(status: Int, headers: [String: String], message: String) async throws {
    let server = PatientServer()
    server.set(status: status, headers: headers)
    let coordinator = try coordinator(server, [Numbers("a")], token: .fixed("secret-token"))
    guard case .failed(let reason) = await coordinator.sync().result else {
      return #expect(Bool(false), "the response was accepted")
    }
    #expect(reason.contains(message) && !reason.contains("secret"), "\(reason)")
  }

  @Test("an expired token is requested once more")
  func renewed() async throws {
    let tokens = Mutex(["new", "old"])
    let client = HTTPClient { request in
      HTTPClient.Response(status: request.headers["Authorization"] == "Bearer new" ? 200 : 401, body: [])
    }
    let configuration = SyncCoordinator.Configuration(
      server: try #require(URL(string: "https://home.example")),
      token: .refreshing { _ in tokens.withLock { $0.popLast() ?? "none" } }, environment: VirtualClock().environment(client))
    let coordinator = SyncCoordinator(configuration: configuration, participants: [Numbers("a", pages: 1)])
    #expect(await coordinator.sync().result == .newData)
  }

  @Test("closures are called on the main thread, as in Rover", .timeLimit(.minutes(20)))
  func closures() async throws {
    let coordinator = try coordinator(PatientServer(), [Numbers("a", pages: 1)])
    let (reported, tell) = AsyncStream<SyncCoordinator.Result?>.makeStream()
    coordinator.sync { (result: SyncCoordinator.Result) in
      MainActor.assertIsolated()
      tell.yield(result)
    }
    for await result in reported {
      #expect(result == .newData)
      break
    }
    coordinator.sync { tell.yield(nil) }
    for await _ in reported { break }
  }

  /// Runs a coordinator during `body`.
  fileprivate func running(_ coordinator: SyncCoordinator, _ body: () async throws -> Void) async rethrows {
    let task = Task { try await coordinator.run() }
    defer { task.cancel() }
    try await body()
  }

  fileprivate func arrived(_ iterator: inout AsyncStream<Void>.Iterator) async { _ = await iterator.next(isolation: nil) }

  /// Waits for a sleeper until that time.
  fileprivate func sleeper(_ clock: VirtualClock, until time: Date) async throws {
    while !clock.hasSleeper(until: time) {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test("the coordinator syncs at once, then on schedule, and on hints of a server", .timeLimit(.minutes(20)))
  func schedule() async throws {
    let (server, clock) = (PatientServer(), VirtualClock())
    let coordinator = try coordinator(server, [], clock: clock) { $0.interval = 1000 }
    coordinator.add(OnePage())
    var arrivals = server.arrivals.stream.makeAsyncIterator()
    try await running(coordinator) {
      await arrived(&arrivals)
      // The random number is 0.5, so the delay is exactly the interval.
      try await sleeper(clock, until: start + 1000)
      clock.advance(1000)
      await arrived(&arrivals)
      try await sleeper(clock, until: start + 2000)
      coordinator.hint()
      await arrived(&arrivals)
      try await sleeper(clock, until: start + 2000)
    }
    #expect(server.requests.count == 3)
  }

  @Test("a second run waits for the interval like the first, and a hint between two runs causes a sync", .timeLimit(.minutes(20)))
  func runsAgain() async throws {
    let (server, clock) = (PatientServer(), VirtualClock())
    let coordinator = try coordinator(server, [OnePage()], clock: clock) { $0.interval = 1000 }
    var arrivals = server.arrivals.stream.makeAsyncIterator()
    for run in 1...2 {
      let task = Task { try await coordinator.run() }
      await arrived(&arrivals)
      try await sleeper(clock, until: start + 1000)
      #expect(server.requests.count == run)
      task.cancel()
      _ = await task.result
    }
    coordinator.hint()
    try await running(coordinator) {
      await arrived(&arrivals)
      // The hint causes a sync after the first one.
      await arrived(&arrivals)
      try await sleeper(clock, until: start + 1000)
    }
    #expect(server.requests.count == 4)
  }

  @Test(
    "after failures the delay grows, respects Retry-After, and applies to hints too", .timeLimit(.minutes(20)))
  func backsOff() async throws {
    let (server, clock) = (PatientServer(), VirtualClock())
    server.set(status: 503)
    let coordinator = try coordinator(server, [OnePage()], clock: clock)
    var arrivals = server.arrivals.stream.makeAsyncIterator()
    try await running(coordinator) {
      await arrived(&arrivals)
      // The random number is 0.5, so the delay is three quarters of 30 s.
      try await sleeper(clock, until: start + 22.5)
      coordinator.hint()
      clock.advance(22.5)
      await arrived(&arrivals)
      try await sleeper(clock, until: start + 22.5 + 45)
      server.set(status: 503, headers: ["retry-after": "300"])
      clock.advance(45)
      await arrived(&arrivals)
      try await sleeper(clock, until: start + 67.5 + 300)
      server.set(status: 200)
      clock.advance(300)
      await arrived(&arrivals)
      try await sleeper(clock, until: clock.now + 6 * 3600)
    }
    #expect(server.requests.count == 4)
  }

  @Test("a launch soon after the last sync does not sync", .timeLimit(.minutes(20)), arguments: [(100.0, false), (901, true)])
  func launches(since: Double, isDue: Bool) async throws {
    let (server, clock) = (PatientServer(), VirtualClock())
    let memory = SyncMemory(read: { start - since }, write: { _ in })
    let coordinator = try coordinator(server, [OnePage()], clock: clock, memory: memory) { $0.interval = 3600 }
    try await running(coordinator) {
      try await sleeper(clock, until: isDue ? start + 3600 : start + 3600 - since)
    }
    #expect(server.requests.count == (isDue ? 1 : 0))
  }
}

extension SyncCoordinatorTests {
  @Test(
    "an interrupted sync is repeated at the next launch, also soon after the last complete one",
    .timeLimit(.minutes(20)), arguments: [(5, 25), (30, 0), (4_000, 0)] as [(Double, Double)])
  func unfinished(since: Double, wait: Double) async throws {
    let (server, clock) = (PatientServer(), VirtualClock())
    let memory = SyncMemory(read: { start - 100 }, write: { _ in }, unfinished: { start - since })
    let coordinator = try coordinator(server, [OnePage()], clock: clock, memory: memory) { $0.interval = 3600 }
    var arrivals = server.arrivals.stream.makeAsyncIterator()
    try await running(coordinator) {
      if wait > 0 {
        try await sleeper(clock, until: start + wait)
        #expect(server.requests.isEmpty)
        clock.advance(wait)
      }
      await arrived(&arrivals)
    }
    #expect(server.requests.count == 1)
  }

  @Test("each sync is stored when it begins, and when it succeeded")
  func stored() async throws {
    let server = PatientServer()
    let calls = Mutex<[String]>([])
    let memory = SyncMemory(
      read: { nil }, write: { _ in calls.withLock { $0.append("end") } }, begin: { _ in calls.withLock { $0.append("begin") } })
    let coordinator = try coordinator(server, [OnePage()], memory: memory)
    _ = await coordinator.sync()
    server.set(status: 500)
    _ = await coordinator.sync()
    #expect(calls.withLock { $0 } == ["begin", "end", "begin"])
  }
}

/// A participant with one page in each sync.
private struct OnePage: SyncParticipant {
  let name = "one"
  func initialRequest() async throws -> SyncCoordinator.Request? { SyncCoordinator.Request(path: "/api/one") }
  func saveResponse(_ response: SyncCoordinator.Response) async throws -> SyncCoordinator.Step { .newData(next: nil) }
}
