internal import Foundation
internal import Godwit
internal import GodwitSimulator

/// Requests of the app: over the world's radios to the server, and back.
extension SimulatedPhone {
  /// A request under way.
  struct Exchange {
    var request: HTTPClient.Request
    var began: SimulatedTime
    var continuation: UnsafeContinuation<HTTPClient.Answer, any Error>?
    /// The app slept meanwhile: its connection is gone.
    var isLost = false
    /// What the server said, or why it said nothing.
    var answer: Result<HTTPClient.Answer, HTTPError>?
  }

  /// What is wrong with the server.
  struct ServerTrouble {
    var isOff = false
    var seconds = 0.0
    var losesReplies = false
    var status = 0
  }

  // Bytes of a request's and an answer's head, and of opening a connection with TLS, each way; seconds that a connection is
  // kept (assumed).
  static let head = (up: 350, down: 300)
  static let handshake = (up: 900, down: 3_500)
  static let keptFor = 60.0
  /// Seconds that a refused connection takes.
  static let refusal = 0.2

  func exchange(_ request: HTTPClient.Request, of process: AppProcess) async throws -> HTTPClient.Answer {
    try await withUnsafeThrowingContinuation { continuation in
      guard self.process === process else {
        return continuation.resume(throwing: HTTPError("The app has ended."))
      }
      let isFresh = lastExchange.map { world.now - $0 > Self.keptFor } ?? true
      let up = request.body.count + Self.head.up + (isFresh ? Self.handshake.up : 0)
      let down = Self.head.down + (isFresh ? Self.handshake.down : 0)
      guard let transfer = world.send(up: up, down: down) else {
        log.counts.failedUploads += 1
        return continuation.resume(throwing: HTTPError("There is no network."))
      }
      log.counts.bytesUp += up
      log.counts.bytesDown += down
      exchanges[transfer.number] = Exchange(request: request, began: world.now, continuation: continuation)
    }
  }

  func transferred(_ number: Int, isComplete: Bool) {
    guard var exchange = exchanges[number] else { return }
    lastExchange = isComplete ? world.now : nil
    guard isComplete else { return finish(number, .failure(HTTPError("The connection was lost."))) }
    if world.network.isCaptive {
      let page = Array("<html><body>Welcome to our wifi. Please sign in.</body></html>".utf8)
      return finish(number, .success(HTTPClient.Answer(status: 200, headers: ["content-type": "text/html"], body: page)))
    }
    var seconds = trouble.seconds
    if trouble.isOff {
      exchange.answer = .failure(HTTPError("The connection was refused."))
      seconds = Self.refusal
    } else if trouble.status != 0 {
      exchange.answer = .success(HTTPClient.Answer(status: trouble.status))
    } else {
      let answer = server.answer(exchange.request, at: world.now.date)
      log.counts.bytesDown += answer.body.count
      exchange.answer = .success(answer)
      if trouble.losesReplies { seconds = .infinity }
    }
    let patience = exchange.request.timeout - (world.now - exchange.began)
    if seconds >= patience {
      exchange.answer = .failure(HTTPError("There was no answer within \(Int(exchange.request.timeout)) seconds."))
      seconds = max(0, patience)
    }
    exchanges[number] = exchange
    if seconds > 0 { schedule.plan(.reply(number), at: world.now + seconds) } else { reply(number) }
  }

  func reply(_ number: Int) {
    if let answer = exchanges[number]?.answer { finish(number, answer) }
  }

  private func finish(_ number: Int, _ answer: Result<HTTPClient.Answer, HTTPError>) {
    guard let exchange = exchanges.removeValue(forKey: number) else { return }
    let result: Result<HTTPClient.Answer, HTTPError> =
      exchange.isLost ? .failure(HTTPError("The connection was lost while the app slept.")) : answer
    if case .success(let said) = result, (200..<300).contains(said.status) {
      log.counts.uploads += 1
    } else {
      log.counts.failedUploads += 1
    }
    switch result {
    case .success(let said): exchange.continuation?.resume(returning: said)
    case .failure(let error): exchange.continuation?.resume(throwing: error)
    }
  }
}
