internal import Godwit
internal import GodwitHTTPClient
internal import GodwitSimulator

/// What is wrong with the server.
struct ServerTrouble: Sendable {
  /// The outcome of a request.
  struct Outcome: Sendable {
    /// What the server answers, or why it answers nothing.
    var response: Result<HTTPClient.Response, HTTPError>
    /// After how long; infinite: the answer does not arrive.
    var seconds: Double
    /// Of the answer's body.
    var bytes = 0
  }

  /// Seconds that a refused connection takes.
  private static let rejection = 0.2

  var isOff = false
  var seconds = 0.0
  var losesReplies = false
  var status = 0

  /// The outcome of a request that has arrived whole.
  func outcome(of request: HTTPClient.Request, at server: any SimulatedServer, _ now: SimulatedTime) -> Outcome {
    if isOff { return Outcome(response: .failure(HTTPError("The connection was refused.")), seconds: Self.rejection) }
    if status != 0 { return Outcome(response: .success(HTTPClient.Response(status: status)), seconds: seconds) }
    if let server = server as? any UnreliableServer {
      let reply = server.reply(to: request, at: now.date)
      let bytes = (try? reply.response.get().body.count) ?? 0
      return Outcome(response: reply.response, seconds: losesReplies ? .infinity : seconds + reply.seconds, bytes: bytes)
    }
    let response = server.respond(request, at: now.date)
    return Outcome(response: .success(response), seconds: losesReplies ? .infinity : seconds, bytes: response.body.count)
  }
}

/// Requests of the app in flight: over the world's radios to the server, and back.
struct AppRequests: Sendable {
  typealias Continuation = UnsafeContinuation<HTTPClient.Response, any Error>

  private struct RunningRequest: Sendable {
    var request: HTTPClient.Request
    var began: SimulatedTime
    var continuation: Continuation?
    /// The app slept meanwhile: its connection is gone.
    var isLost = false
    /// The server's answer, or why there is none.
    var response: Result<HTTPClient.Response, HTTPError>?
  }

  // Bytes of a request's and an answer's head, and of opening a connection with TLS, each way; seconds that a connection is
  // kept (assumed).
  private static let head = (up: 350, down: 300)
  private static let handshake = (up: 900, down: 3_500)
  private static let keptFor = 60.0

  private var runningRequests: [Int: RunningRequest] = [:]
  /// When the connection was used; `nil`: there is none.
  private var lastRequest: SimulatedTime?

  var isEmpty: Bool { runningRequests.isEmpty }

  /// Sends a request, whose answer the continuation gets.
  mutating func send(
    _ request: HTTPClient.Request, over world: inout World, _ counts: inout RunLog.Counts, _ continuation: Continuation
  ) {
    let isFresh = lastRequest.map { world.now - $0 > Self.keptFor } ?? true
    let up = request.body.count + Self.head.up + (isFresh ? Self.handshake.up : 0)
    let down = Self.head.down + (isFresh ? Self.handshake.down : 0)
    guard let transfer = world.send(up: up, down: down) else {
      counts.failedUploads += 1
      return continuation.resume(throwing: HTTPError("There is no network."))
    }
    counts.bytesUp += up
    counts.bytesDown += down
    runningRequests[transfer.number] = RunningRequest(request: request, began: world.now, continuation: continuation)
  }

  /// The world has ended a transfer.
  /// - Returns: the request that the server has got; `nil`: it came to no server, and the app knows.
  mutating func transferred(
    _ number: Int, isComplete: Bool, isCaptive: Bool, _ counts: inout RunLog.Counts, at now: SimulatedTime
  ) -> HTTPClient.Request? {
    guard let running = runningRequests[number] else { return nil }
    lastRequest = isComplete ? now : nil
    guard isComplete else {
      finish(number, .failure(HTTPError("The connection was lost.")), &counts)
      return nil
    }
    guard isCaptive else { return running.request }
    let page = Array("<html><body>Welcome to our wifi. Please sign in.</body></html>".utf8)
    finish(number, .success(HTTPClient.Response(status: 200, headers: ["content-type": "text/html"], body: page)), &counts)
    return nil
  }

  /// The server has made its answer.
  /// - Returns: seconds until something of it arrives; with 0 that is now.
  mutating func answered(_ number: Int, _ outcome: ServerTrouble.Outcome, at now: SimulatedTime) -> Double {
    guard let running = runningRequests[number] else { return 0 }
    runningRequests[number]?.response = outcome.response
    let rest = running.request.timeout - (now - running.began)
    guard outcome.seconds >= rest else { return outcome.seconds }
    let reason = "No response within \(Int(running.request.timeout)) seconds."
    runningRequests[number]?.response = .failure(HTTPError(reason))
    return max(0, rest)
  }

  /// The server's answer arrives.
  mutating func reply(_ number: Int, _ counts: inout RunLog.Counts) {
    if let response = runningRequests[number]?.response { finish(number, response, &counts) }
  }

  private mutating func finish(
    _ number: Int, _ response: Result<HTTPClient.Response, HTTPError>, _ counts: inout RunLog.Counts
  ) {
    guard let running = runningRequests.removeValue(forKey: number) else { return }
    let result: Result<HTTPClient.Response, HTTPError> =
      running.isLost ? .failure(HTTPError("The connection was lost while the app slept.")) : response
    if case .success(let said) = result, (200..<300).contains(said.status) {
      counts.uploads += 1
    } else {
      counts.failedUploads += 1
    }
    running.continuation?.resume(with: result.mapError { $0 as any Error })
  }

  /// The system closes the connections of an app that sleeps; a request in flight arrives, and its answer is lost.
  mutating func loseConnections() {
    for number in runningRequests.keys { runningRequests[number]?.isLost = true }
  }

  /// The app has ended: it no longer waits for requests in flight.
  mutating func endApp() {
    for (number, running) in runningRequests.sorted(by: { $0.key < $1.key }) {
      runningRequests[number]?.continuation = nil
      running.continuation?.resume(throwing: HTTPError("The app has ended."))
    }
  }

  /// The phone went off, and its requests in flight are lost.
  mutating func removeAll() { runningRequests = [:] }
}
