public import GodwitHTTPClient
public import GodwitModel
internal import GodwitText
internal import GodwitWire
internal import Synchronization

public import struct Foundation.Date

/// The server of a simulated network.
public protocol SimulatedServer: AnyObject, Sendable {
  /// Returns the response to a request that has arrived completely.
  func respond(_ request: HTTPClient.Request, at time: Date) -> HTTPClient.Response
}

/// A server behind a network that may lose requests and responses.
package protocol UnreliableServer: SimulatedServer {
  /// Returns the reply to a request that has left the phone completely.
  func reply(to request: HTTPClient.Request, at time: Date) -> SimulatedReply
}

/// The reply to a request as it arrives at the phone.
package struct SimulatedReply: Sendable {
  /// The response, or the reason why there is none.
  package var response: Result<HTTPClient.Response, HTTPError>
  /// The seconds until it arrives; infinite: it does not arrive.
  package var seconds: Double

  package init(_ response: Result<HTTPClient.Response, HTTPError>, after seconds: Double = 0) {
    (self.response, self.seconds) = (response, seconds)
  }
}

/// A server that accepts Overland's batches and stores each record once, by its identifier. It uses this project's parser.
public final class MemoryServer: SimulatedServer {
  private struct State {
    var numbers: [UInt64: IndexSpans] = [:]
    var count = 0
    var duplicates = 0
    var rejected = 0
  }

  private let state = Mutex(State())
  private let keep: (@Sendable (Record) -> Void)?

  /// - Parameter keep: receives every record once.
  public init(keep: (@Sendable (Record) -> Void)? = nil) { self.keep = keep }

  /// The number of different records.
  public var count: Int { state.withLock { $0.count } }
  /// The number of records that were received again.
  public var duplicates: Int { state.withLock { $0.duplicates } }
  /// The number of records that could not be parsed.
  public var rejected: Int { state.withLock { $0.rejected } }

  public func respond(_ request: HTTPClient.Request, at time: Date) -> HTTPClient.Response {
    let batch: Overland.Request
    do throws(FormatError) { batch = try Overland.read(request.body) } catch {
      return HTTPClient.Response(status: 400, body: Array("{\"error\":\"\(error.place)\"}".utf8))
    }
    var saved = 0
    for record in batch.records where isNew(record) {
      saved += 1
      keep?(record)
    }
    let duplicates = batch.records.count - saved
    state.withLock { state in
      state.count += saved
      state.duplicates += duplicates
      state.rejected += batch.rejected.count
    }
    var body: [UInt8] = []
    Overland.writeResponse(
      saved: saved, duplicates: duplicates,
      rejected: batch.rejected.map { (index: $0.index, reason: "\($0.reason) (\($0.place))") }, error: nil, into: &body)
    return HTTPClient.Response(status: 200, headers: ["content-type": "application/json"], body: body)
  }

  private func isNew(_ record: Record) -> Bool {
    guard let id = record.id else { return true }
    return state.withLock { $0.numbers[id.journal, default: IndexSpans()].insert(id.sequence.value) }
  }
}

/// A set of mostly consecutive numbers.
struct IndexSpans: Sendable, Hashable {
  /// The ranges, sorted and not adjacent.
  private(set) var spans: [ClosedRange<Int64>] = []

  /// Inserts a number.
  /// - Returns: whether the set did not contain it.
  mutating func insert(_ number: Int64) -> Bool {
    // A new number is nearly always the largest, so the search starts at the end.
    var index = spans.count
    while index > 0, spans[index - 1].lowerBound > number { index -= 1 }
    if index > 0, spans[index - 1].upperBound >= number { return false }
    let joinsBefore = index > 0 && spans[index - 1].upperBound == number - 1
    let joinsAfter = index < spans.count && spans[index].lowerBound == number + 1
    switch (joinsBefore, joinsAfter) {
    case (true, true): spans.replaceSubrange(index - 1...index, with: [spans[index - 1].lowerBound...spans[index].upperBound])
    case (true, false): spans[index - 1] = spans[index - 1].lowerBound...number
    case (false, true): spans[index] = number...spans[index].upperBound
    case (false, false): spans.insert(number...number, at: index)
    }
    return true
  }
}
