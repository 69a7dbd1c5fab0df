internal import Foundation
internal import GodwitHTTPClient
internal import Synchronization

/// One letter on its way.
struct WebhookRequest: Sendable {
  var url: String
  var headers: [String: String]
  var body: [UInt8]
}

/// The network, as a sender of letters sees it; a test has its own.
protocol WebhookTransport: Sendable {
  /// Sends a request and calls back once, from any thread, with the answer or the reason why there is none.
  func send(_ request: WebhookRequest, completion: @escaping @Sendable (Result<HTTPClient.Answer, HTTPError>) -> Void)
  /// Ends what is on its way; its completions are called. Nothing is sent any more.
  func close()
}

/// Letters over the network. No redirect is followed: a letter goes to the address that the owner named and to no other.
final class HTTPTransport: WebhookTransport {
  private struct State {
    var running: [Int: Task<Void, Never>] = [:]
    var lastNumber = 0
    var isClosed = false
  }
  private let client: HTTPClient
  private let state = Mutex(State())

  init(_ client: HTTPClient = .live()) { self.client = client }

  func send(_ request: WebhookRequest, completion: @escaping @Sendable (Result<HTTPClient.Answer, HTTPError>) -> Void) {
    let isClosed = state.withLock { state in
      guard !state.isClosed else { return true }
      state.lastNumber += 1
      let number = state.lastNumber
      state.running[number] = Task { [self] in
        let result = await answer(to: request)
        self.state.withLock { $0.running[number] = nil }
        completion(result)
      }
      return false
    }
    if isClosed { completion(.failure(Self.stopping)) }
  }

  func close() {
    let running = state.withLock { state in
      state.isClosed = true
      return state.running.values
    }
    for task in running { task.cancel() }
  }

  private static let stopping = HTTPError("The server is stopping.")

  private func answer(to request: WebhookRequest) async -> Result<HTTPClient.Answer, HTTPError> {
    guard let url = URL(string: request.url) else { return .failure(HTTPError("\"\(request.url)\" is no address.")) }
    let outgoing = HTTPClient.Request(url: url, headers: request.headers, body: request.body).boundedForServer
    do { return .success(try await client.send(outgoing)) } catch {
      if state.withLock({ $0.isClosed }) { return .failure(Self.stopping) }
      return .failure(error as? HTTPError ?? HTTPError(error.localizedDescription))
    }
  }
}

extension HTTPClient.Request {
  /// The same within the limits of a server, which has many of them on their way: of an answer the first 64 KiB are read.
  var boundedForServer: Self {
    var request = self
    request.timeout = 15
    request.connectTimeout = 10
    request.maximumAnswer = 64 << 10
    request.acceptsCompression = false
    return request
  }
}

/// The time, as a sender of letters sees it; a test has its own.
struct WebhookTime: Sendable {
  var now: @Sendable () -> Date
  /// Calls back, from any thread, when the time has come.
  var wake: @Sendable (_ at: Date, _ action: @escaping @Sendable () -> Void) -> Void
  /// A number by chance, 0 ..< 1.
  var chance: @Sendable () -> Double

  static let live = WebhookTime(
    now: { Date() },
    wake: { time, action in
      let seconds = max(0, time.timeIntervalSinceNow)
      DispatchQueue.global().asyncAfter(wallDeadline: .now() + seconds, execute: action)
    },
    chance: { Double.random(in: 0..<1) })
}
