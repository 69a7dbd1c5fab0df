public import Foundation
internal import GodwitHTTPClient

/// Something that is copied from a server: regions, or an app's own things.
///
/// A sync asks for the first page with ``initialRequest()``, gives each answer to ``saveResponse(_:)``, and asks on as long as
/// that names another request. The participant keeps what it got, and the cursor with it, so that the next sync begins where
/// this one ended, also when it ended in the middle.
public protocol SyncParticipant: Sendable {
  /// Names it among those of a coordinator.
  var name: String { get }
  /// What to ask for first; `nil`: nothing, this time.
  func initialRequest() async throws -> SyncRequest?
  /// Keeps an answer of status 2xx or 304.
  /// - Returns: whether there was something new, and what to ask for next.
  func saveResponse(_ answer: SyncAnswer) async throws -> SyncStep
  /// A sync is over, whatever came of it.
  /// - Parameter result: how it ended for this participant.
  func syncEnded(_ result: SyncResult) async
}

extension SyncParticipant {
  public func syncEnded(_ result: SyncResult) async {}
}

/// A request of a participant: a GET at the coordinator's server, which puts the token to it.
public struct SyncRequest: Sendable, Hashable {
  /// Below the server's address: `/api/regions`.
  public var path: String
  public var query: [URLQueryItem]
  public var headers: [String: String]

  public init(path: String, query: [URLQueryItem] = [], headers: [String: String] = [:]) {
    self.path = path
    self.query = query
    self.headers = headers
  }
}

/// What a server answered.
public struct SyncAnswer: Sendable {
  /// 2xx or 304.
  public var status: Int
  /// Names in small letters.
  public var headers: [String: String]
  public var body: [UInt8]

  public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The answer was longer than `HTTPClient.maximumAnswerSize`: its end is missing. Ask for less at once.
  public var isCut: Bool { body.count >= HTTPClient.maximumAnswerSize }
}

/// What came of an answer.
public enum SyncStep: Sendable, Hashable {
  /// Something new is there, and there may be more.
  case newData(next: SyncRequest?)
  /// Nothing is there yet, but there is something to ask.
  case more(SyncRequest)
  /// There was nothing new.
  case noData
  /// It was no answer that can be used, as a sentence.
  case failed(String)
}

/// How a sync ended.
public enum SyncResult: Sendable, Hashable {
  case newData, noData
  /// A sentence says why; what was there before is there still.
  case failed(String)
}

/// How a sync ended for each participant.
public struct SyncOutcome: Sendable, Hashable {
  /// By the participants' names.
  public var results: [String: SyncResult]
  /// Seconds for which a server wants to be left alone.
  public var retryAfter: Double?

  public init(results: [String: SyncResult], retryAfter: Double? = nil) {
    self.results = results
    self.retryAfter = retryAfter
  }

  /// Of them all: new data if anyone has some, otherwise the first failure by name.
  public var result: SyncResult {
    if results.values.contains(.newData) { return .newData }
    let failures = results.sorted { $0.key < $1.key }.filter { $0.value != .noData }
    return failures.first?.value ?? .noData
  }

  /// Whether somebody has to try again.
  public var hasFailures: Bool { results.values.contains { if case .failed = $0 { true } else { false } } }
}
