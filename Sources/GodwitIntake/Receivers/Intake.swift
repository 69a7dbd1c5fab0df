package import Foundation
internal import GodwitAccess
package import GodwitHTTP
package import GodwitModel
package import GodwitStore
package import GodwitText
package import GodwitWire
internal import Synchronization

/// What receivers of all protocols use.
package final class Receiving: Sendable {
  package let store: any StoreDatabase
  private let counters: IntakeCounters
  /// Bytes of a body, after decompression.
  package let maximumBody: Int

  package init(store: any StoreDatabase, counters: IntakeCounters, maximumBody: Int) {
    self.store = store
    self.counters = counters
    self.maximumBody = maximumBody
  }

  /// Counts a body and undoes its compression.
  package func decoded(_ sent: [UInt8], of request: HTTPRequest) throws(Problem) -> [UInt8] {
    counters.receivedBytes.add(sent.count, ordering: .relaxed)
    return try RequestBody.decoded(sent, encoding: request.header("Content-Encoding"), limit: maximumBody)
  }
}

/// A device's request on its way into the store: what all protocols have in common.
///
/// A protocol decodes on the thread of the connection, hands over what it has found, and says how it answers; the request waits
/// without a thread until that is in the store.
package struct Intake: Sendable {
  package let receiving: Receiving
  package let request: HTTPRequest
  package let device: Device
  /// When the request arrived.
  package let received: Date
  /// What of the request it takes to read a part of it again.
  package let origin: RejectedRecordOrigin
  /// Records that the request may have.
  package var maximumRecords = RecordBatch.maximumRecords

  /// Takes the body of a request, decompressed.
  ///
  /// What cannot be read at all is kept as it came, and refused.
  /// - Parameters:
  ///   - request: whose device is known.
  ///   - receiving: the store, and how much is taken.
  ///   - language: what the body should be: "an Overland request".
  ///   - origin: what it takes to read a part of it again.
  ///   - read: decodes it and hands it over.
  package static func take(
    _ request: HTTPRequest, _ receiving: Receiving, _ language: String, _ origin: RejectedRecordOrigin,
    _ read: (Intake, consuming [UInt8]) throws(FormatError) -> HTTPReply
  ) throws(Problem) -> HTTPReply {
    guard let device = request.device else {
      throw Problem(401, "Access token needed", "Send the device's token as Bearer.")
    }
    var intake = Intake(receiving: receiving, request: request, device: device, received: Date(), origin: origin)
    let sent = request.takeBody()
    intake.maximumRecords = RequestBody.maximumRecords(sent, encoding: request.header("Content-Encoding"))
    let body: [UInt8]
    do throws(Problem) { body = try receiving.decoded(sent, of: request) } catch {
      return intake.refuse(sent, because: error, encoding: request.header("Content-Encoding"))
    }
    do throws(FormatError) { return try read(intake, body) } catch {
      return intake.refuse(body, at: error.place.description, because: Problem(error, "Not \(language)"))
    }
  }

  /// Stores what came, and answers after the commit.
  /// - Parameters:
  ///   - records: the valid ones.
  ///   - refusals: what was none.
  ///   - range: what of the device's journal this covers.
  ///   - answer: what is said then.
  package func submit(
    _ records: [Record], _ refusals: [RejectedRecord] = [], range: SequenceRange? = nil,
    answer: @escaping @Sendable (SubmissionResult) -> HTTPResponse
  ) -> HTTPReply {
    submit(records, refusals, range: range) { [request] in request.finish(answer($0)) }
  }

  /// The same, for an answer that takes more than a moment.
  /// - Parameter stored: called on the store's thread; finishes the request, at once or later.
  package func submit(
    _ records: [Record], _ refusals: [RejectedRecord] = [], range: SequenceRange? = nil,
    stored: @escaping @Sendable (SubmissionResult) -> Void
  ) -> HTTPReply {
    if let refusal = request.suspend() { return .now(refusal) }
    store(records, refusals, range: range, stored)
    return .later
  }

  /// The same for a request that waits already.
  package func store(
    _ records: [Record], _ refusals: [RejectedRecord], range: SequenceRange? = nil,
    _ stored: @escaping @Sendable (SubmissionResult) -> Void
  ) {
    receiving.store.submit(
      Submission(device: device, records: records, refusals: refusals, range: range, received: received) { [request] result in
        switch result {
        case .success(let what): stored(what)
        case .failure(let error): request.finish(Self.unavailable(error).response)
        }
      })
  }

  /// Keeps what could not be read, then refuses it.
  package func refuse(
    _ body: [UInt8], at place: String = "body", because problem: Problem, encoding: String? = nil
  ) -> HTTPReply {
    let refused = RejectedRecord(place: place, reason: problem.detail, raw: body, origin: origin.whole(encoding: encoding))
    return submit([], [refused]) { _ in problem.response }
  }

  /// The answer when the store could not take it. The device keeps its records and comes again.
  package static func unavailable(_ error: any Error) -> Problem {
    Problem.unavailable("Not stored", error, retryAfter: error is StoreError ? 1 : 30)
  }
}

extension RejectedRecord {
  package init(_ part: RejectedPart, from origin: RejectedRecordOrigin) {
    self.init(place: part.place.description, reason: part.reason, raw: part.raw, size: part.size, origin: origin)
  }

  /// The same without a secret that is in it.
  package func without(_ secret: String) -> RejectedRecord {
    let hidden = Array(secret.utf8)
    guard hidden.count >= 4 else { return self }
    var kept: [UInt8] = []
    var index = 0
    while index < raw.count {
      if raw[index] == hidden[0], raw[index...].starts(with: hidden) {
        kept += Array("…".utf8)
        index += hidden.count
      } else {
        kept.append(raw[index])
        index += 1
      }
    }
    // Where only the first bytes are kept, they may end inside it.
    if size > raw.count, let part = (4..<hidden.count).last(where: { kept.suffix($0).elementsEqual(hidden[..<$0]) }) {
      kept.removeLast(part)
    }
    return RejectedRecord(place: place, reason: reason.replacing(secret, with: "…"), raw: kept, size: size, origin: origin)
  }
}

extension Problem {
  /// What is wrong with a body.
  /// - Parameters:
  ///   - error: why it could not be read.
  ///   - title: the same for every occurrence.
  package init(_ error: FormatError, _ title: String) {
    self = error.isLimit ? Problem(413, "Body too large", error.description) : Problem(400, title, error.description)
  }
}

extension FormatError {
  /// The status of an answer to a request of which only the first part was stored.
  package var status: Int { isLimit ? 413 : 400 }

  /// What such an answer says.
  package var interruption: String {
    "\(isLimit ? "" : "The body is no valid JSON: ")\(description). What came before it is stored."
  }
}
