#if os(Linux)
  internal import CCurl
  internal import Foundation
  internal import Synchronization

  /// Sends requests with libcurl. It needs less memory and processor time than Foundation's session, which uses the same library,
  /// and supports pinned keys and limited responses.
  ///
  /// All running requests share one thread and its connections. The thread ends with the last request. A connection stays open
  /// for the next request to the same server, unless a request has failed or the machine was suspended.
  final class CurlSession: Sendable {
    private struct Command: Sendable {
      let request: HTTPClient.Request
      let cancellation: Cancellation
      let completion: CurlTransfer.Completion
    }
    /// Whether the task that waits for a response was cancelled.
    private final class Cancellation: Sendable {
      let isRequested = Atomic<Bool>(false)
    }
    private struct State {
      var commands: [Command] = []
      var hasThread = false
      /// The address of curl's multi handle, which has the connections. Only the thread uses it, except for `curl_multi_wakeup`,
      /// which may be called on any thread.
      var multi: UInt?
      /// The time for which the machine had been suspended when the last request began.
      var suspended: Duration

      func wake() {
        if let multi = multi.flatMap({ UnsafeMutableRawPointer(bitPattern: $0) }) { curl_multi_wakeup(multi) }
      }
    }
    private let state: Mutex<State>
    /// The addresses that the session may connect to. It applies to all connections, because an open connection is reused.
    private let reach: NetworkReach
    private let suspended: @Sendable () -> Duration

    /// - Parameters:
    ///   - reach: the addresses that the session may connect to.
    ///   - suspended: returns the time for which the machine was suspended since an arbitrary start.
    init(_ reach: NetworkReach = .everywhere, suspended: @escaping @Sendable () -> Duration = CurlSession.systemSuspension) {
      self.reach = reach
      self.suspended = suspended
      state = Mutex(State(suspended: suspended()))
    }

    /// Returns the time for which the machine was suspended since the first call.
    static let systemSuspension: @Sendable () -> Duration = {
      let (start, awake) = (ContinuousClock.now, SuspendingClock.now)
      return { start.duration(to: .now) - awake.duration(to: .now) }
    }()

    /// After a longer suspension servers and routers may have forgotten the connections. A request on one would wait for its timeout.
    /// Curl's own limit for the age of a connection does not count the time of the suspension.
    private static let maximumSuspension = Duration.seconds(30)
    /// Maximum open connections. An endpoint has one; webhooks have up to eight concurrent requests.
    private static let maximumConnections = 8
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    deinit { Self.close(state.withLock { $0.multi }) }

    /// Sends a request. - Throws: ``HTTPError`` if there was no response. Cancelling the task ends the request at once.
    func send(_ request: HTTPClient.Request) async throws -> HTTPClient.Response {
      let cancellation = Cancellation()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          add(
            Command(request: request, cancellation: cancellation) {
              continuation.resume(with: $0.mapError { $0 as any Error })
            })
        }
      } onCancel: {
        cancel(cancellation)
      }
    }

    /// Starts a request.
    /// - Parameter completion: called once, on the thread of the session.
    /// - Returns: a handle that cancels it.
    func start(_ request: HTTPClient.Request, completion: @escaping CurlTransfer.Completion) -> @Sendable () -> Void {
      let cancellation = Cancellation()
      add(Command(request: request, cancellation: cancellation, completion: completion))
      return { [self] in cancel(cancellation) }
    }

    private func cancel(_ cancellation: Cancellation) {
      cancellation.isRequested.store(true, ordering: .relaxed)
      state.withLock { $0.wake() }
    }

    private func add(_ command: Command) {
      let needsThread = state.withLock { state in
        state.commands.append(command)
        state.wake()
        defer { state.hasThread = true }
        return !state.hasThread
      }
      guard needsThread else { return }
      let thread = Thread { [self] in run() }
      thread.name = "godwit.http"
      thread.stackSize = 512 << 10
      thread.start()
    }

    // MARK: The thread

    /// The running requests.
    private struct Transfers {
      var running: [UnsafeMutableRawPointer: (transfer: CurlTransfer, cancellation: Cancellation)] = [:]
      /// The servers whose connections may be broken.
      var failed: Set<String> = []
      /// Whether the machine was suspended while connections were open, so that all of them may be broken.
      var wasSuspended = false

      mutating func remove(_ easy: UnsafeMutableRawPointer) -> CurlTransfer? { running.removeValue(forKey: easy)?.transfer }
    }

    private func run() {
      guard Self.isReady, let multi = handle() else {
        let commands = state.withLock { state in
          defer { state.commands = [] }
          state.hasThread = false
          return state.commands
        }
        for command in commands { command.completion(.failure(HTTPError("libcurl cannot be used: out of memory."))) }
        return
      }
      var transfers = Transfers()
      while !isOver(&transfers) {
        let commands = state.withLock { state in
          defer { state.commands = [] }
          return state.commands
        }
        for command in commands { begin(command, multi, &transfers) }
        endCancelled(multi, &transfers)
        var running: Int32 = 0
        curl_multi_perform(multi, &running)
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
          guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
          let code = message.pointee.data.result
          curl_multi_remove_handle(multi, easy)
          guard let transfer = transfers.remove(easy) else { continue }
          if !transfer.finish(code) { transfers.failed.insert(transfer.server) }
        }
        if !transfers.running.isEmpty { curl_multi_poll(multi, nil, 0, 1000, nil) }
      }
    }

    /// Returns curl's multi handle with its open connections, or a new one; `nil`: out of memory.
    private func handle() -> UnsafeMutableRawPointer? {
      if let kept = state.withLock({ $0.multi }).flatMap({ UnsafeMutableRawPointer(bitPattern: $0) }) { return kept }
      guard let multi = curl_multi_init() else { return nil }
      godwit_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.maximumConnections)
      let address = UInt(bitPattern: multi)
      state.withLock { $0.multi = address }
      return multi
    }

    /// Returns whether no request is left. The thread then ends, and the next request starts a new one.
    private func isOver(_ transfers: inout Transfers) -> Bool {
      guard transfers.running.isEmpty else { return false }
      let (isOver, broken) = state.withLock { state -> (Bool, UInt?) in
        guard state.commands.isEmpty else { return (false, nil) }
        state.hasThread = false
        guard transfers.wasSuspended || !transfers.failed.isEmpty else { return (true, nil) }
        defer { state.multi = nil }
        return (true, state.multi)
      }
      // The DNS cache is discarded with the handle, because addresses may differ after a change of networks.
      Self.close(broken)
      return isOver
    }

    private func begin(_ command: Command, _ multi: UnsafeMutableRawPointer, _ transfers: inout Transfers) {
      do throws(HTTPError) {
        let transfer = try CurlTransfer(command.request, reach, command.completion)
        if wasSuspended() { transfers.wasSuspended = true }
        // A server whose request failed gets new connections until the session has no running request and closes its connections.
        if transfers.wasSuspended || transfers.failed.contains(transfer.server) { try transfer.useNewConnection() }
        let code = curl_multi_add_handle(multi, transfer.easy)
        guard code == CURLM_OK else {
          throw HTTPError("The request cannot be started: \(String(cString: curl_multi_strerror(code))).")
        }
        transfers.running[transfer.easy] = (transfer, command.cancellation)
      } catch {
        command.completion(.failure(error))
      }
    }

    /// Returns whether the machine was suspended since the last request began.
    private func wasSuspended() -> Bool {
      let total = suspended()
      return state.withLock { state in
        defer { state.suspended = total }
        return total - state.suspended > Self.maximumSuspension
      }
    }

    private func endCancelled(_ multi: UnsafeMutableRawPointer, _ transfers: inout Transfers) {
      for (easy, (transfer, cancellation)) in transfers.running where cancellation.isRequested.load(ordering: .relaxed) {
        curl_multi_remove_handle(multi, easy)
        _ = transfers.remove(easy)
        transfers.failed.insert(transfer.server)
        transfer.cancel()
      }
    }

    private static func close(_ address: UInt?) {
      if let multi = address.flatMap({ UnsafeMutableRawPointer(bitPattern: $0) }) { curl_multi_cleanup(multi) }
    }
  }
#endif
