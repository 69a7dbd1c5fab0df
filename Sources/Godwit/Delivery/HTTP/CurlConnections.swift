#if os(Linux)
  internal import CCurl
  internal import Foundation
  internal import Synchronization

  /// Requests over libcurl: less memory and work than a session of Foundation's, which sits on the same library, and
  /// with pinned keys and bounded answers.
  ///
  /// A connection stays open for the next request to the same server. Blocking calls have threads of their own;
  /// cancelling a task wakes its thread at once.
  final class CurlConnections: Sendable {
    /// A transfer's two handles, lent to one request at a time.
    private struct Connection: @unchecked Sendable {
      // Only the request that has taken it out of the list touches it.
      let easy: OpaquePointer
      let multi: OpaquePointer
    }

    private let idle = Mutex<[Connection]>([])
    /// Connections that are kept open; a tracker has few endpoints.
    private static let mostIdle = 8
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    deinit {
      for connection in idle.withLock({ $0 }) { Self.close(connection) }
    }

    func send(_ request: HTTPClient.Request) async throws -> HTTPClient.Answer {
      let connection = try take()
      let cancellation = Cancellation()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          // A thread of its own: a pool would let a server that is slow to answer hold up the others.
          let thread = Thread { [self] in
            let transfer = CurlTransfer(easy: connection.easy, multi: connection.multi)
            let result = Result { () throws(HTTPError) in try transfer.perform(request, cancellation) }
            // A handle that failed may hold a broken connection.
            if case .success = result { give(back: connection) } else { Self.close(connection) }
            continuation.resume(with: result.mapError { $0 as any Error })
          }
          thread.name = "godwit.http"
          thread.stackSize = 512 << 10
          thread.start()
        }
      } onCancel: {
        cancellation.cancel()
      }
    }

    private func take() throws(HTTPError) -> Connection {
      if let connection = idle.withLock({ $0.popLast() }) { return connection }
      guard Self.isReady, let easy = curl_easy_init(), let multi = curl_multi_init() else {
        throw HTTPError("libcurl cannot be used: there is no memory for it.")
      }
      return Connection(easy: OpaquePointer(easy), multi: OpaquePointer(multi))
    }

    private func give(back connection: Connection) {
      let isKept = idle.withLock { idle in
        guard idle.count < Self.mostIdle else { return false }
        idle.append(connection)
        return true
      }
      if !isKept { Self.close(connection) }
    }

    private static func close(_ connection: Connection) {
      curl_easy_cleanup(UnsafeMutableRawPointer(connection.easy))
      curl_multi_cleanup(UnsafeMutableRawPointer(connection.multi))
    }
  }

  /// The wish that a transfer ends, and the way to wake its thread.
  final class Cancellation: Sendable {
    private struct State {
      var isCancelled = false
      /// The address of curl's handle, for `curl_multi_wakeup` alone, which may be called from any thread.
      var multi: UInt?
    }
    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// While a transfer runs; `nil` when it is over.
    func wakes(_ multi: UnsafeMutableRawPointer?) {
      let address = multi.map { UInt(bitPattern: $0) }
      state.withLock { $0.multi = address }
    }

    func cancel() {
      state.withLock { state in
        state.isCancelled = true
        if let multi = state.multi.flatMap({ UnsafeMutableRawPointer(bitPattern: $0) }) { curl_multi_wakeup(multi) }
      }
    }
  }
#endif
