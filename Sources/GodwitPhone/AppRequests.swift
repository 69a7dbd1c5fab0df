internal import Godwit
internal import GodwitHTTPClient
internal import GodwitSimulator

/// The faults of the server that a script sets.
struct ServerFault: Sendable {
  /// The outcome of a request.
  struct Outcome: Sendable {
    /// The server's response, or the reason why there is none.
    var response: Result<HTTPClient.Response, HTTPError>
    /// The seconds until the response arrives; infinite: it does not arrive.
    var seconds: Double
    /// The size of the response's body in bytes.
    var bytes = 0
  }

  /// The seconds until a refused connection is reported.
  private static let rejection = 0.2

  var isOff = false
  var seconds = 0.0
  var losesReplies = false
  var status = 0

  /// Returns the outcome of a request that has arrived completely.
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

/// The app's requests in flight, which are sent over the simulated radios.
struct AppRequests: Sendable {
  typealias Continuation = UnsafeContinuation<HTTPClient.Response, any Error>

  private struct RunningRequest: Sendable {
    var request: HTTPClient.Request
    var began: SimulatedTime
    var continuation: Continuation?
    /// Whether the connection was closed because the app was suspended.
    var isLost = false
    /// The server's response, or the reason why there is none; `nil`: the server has not responded.
    var response: Result<HTTPClient.Response, HTTPError>?
  }

  // The bytes of the head of a request and of a response, the bytes of a TLS handshake in each direction, and the seconds that
  // an idle connection stays open (assumed).
  private static let head = (up: 350, down: 300)
  private static let handshake = (up: 900, down: 3_500)
  private static let keptFor = 60.0

  private var runningRequests: [Int: RunningRequest] = [:]
  /// The time at which the connection was last used; `nil`: there is no connection.
  private var lastRequest: SimulatedTime?

  var isEmpty: Bool { runningRequests.isEmpty }

  /// Sends a request. The continuation receives the response.
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

  /// Handles the end of a transfer.
  /// - Returns: the request that the server received; `nil`: it received none, and the app has received the result.
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

  /// Stores the server's response, or a timeout.
  /// - Returns: the seconds until the app receives the result; 0: now.
  mutating func answered(_ number: Int, _ outcome: ServerFault.Outcome, at now: SimulatedTime) -> Double {
    guard let running = runningRequests[number] else { return 0 }
    runningRequests[number]?.response = outcome.response
    let rest = running.request.timeout - (now - running.began)
    guard outcome.seconds >= rest else { return outcome.seconds }
    let reason = "No response within \(Int(TrackerEnvironment.bounded(running.request.timeout))) seconds."
    runningRequests[number]?.response = .failure(HTTPError(reason))
    return max(0, rest)
  }

  /// Passes the stored result of a request to the app.
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

  /// Closes the connections of a suspended app. A request in flight still arrives, but its response is lost.
  mutating func loseConnections() {
    for number in runningRequests.keys { runningRequests[number]?.isLost = true }
  }

  /// Ends the app's requests with an error when the app has ended. Requests in flight still arrive at the server.
  mutating func endApp() {
    for (number, running) in runningRequests.sorted(by: { $0.key < $1.key }) {
      runningRequests[number]?.continuation = nil
      running.continuation?.resume(throwing: HTTPError("The app has ended."))
    }
  }

  /// Discards the requests in flight when the phone is turned off.
  mutating func removeAll() { runningRequests = [:] }
}
