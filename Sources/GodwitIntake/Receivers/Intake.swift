package import Foundation
internal import GodwitAccess
package import GodwitHTTP
package import GodwitModel
internal import GodwitServices
package import GodwitStore
package import GodwitText
package import GodwitWire
internal import Synchronization

/// The services that receivers of all protocols use.
package final class Receiving: Sendable {
  package let store: any StoreDatabase
  private let counters: IntakeCounters
  /// Maximum bytes of a body, after decompression.
  package let maximumBody: Int

  package init(store: any StoreDatabase, counters: IntakeCounters, maximumBody: Int) {
    self.store = store
    self.counters = counters
    self.maximumBody = maximumBody
  }

  /// Adds the received bytes to the counter, and decompresses a body.
  package func decoded(_ sent: [UInt8], of request: HTTPRequest) throws(Problem) -> [UInt8] {
    counters.receivedBytes.add(sent.count, ordering: .relaxed)
    return try RequestBody.decoded(sent, encoding: request.header("Content-Encoding"), limit: maximumBody)
  }
}

/// An upload of a device: what all protocols have in common.
///
/// A receiver decodes the body on the connection's thread, submits the records, and creates the answer after the commit. The
/// request waits for the commit without occupying a thread.
package struct Intake: Sendable {
  package let receiving: Receiving
  package let request: HTTPRequest
  package let device: Device
  /// The time of receipt.
  package let received: Date
  /// The properties of the request that are needed to decode a part of it again.
  package let origin: RejectedRecordOrigin
  /// Maximum records of the request.
  package var maximumRecords = RecordBatch.maximumRecords

  /// Reads and decompresses the body of a request.
  ///
  /// A body that cannot be decoded is stored as received, and the request is rejected.
  /// - Parameters:
  ///   - request: a request of a known device.
  ///   - receiving: the store and limits.
  ///   - format: the expected content for messages, such as "an Overland request".
  ///   - origin: what is needed to decode a part of the request again.
  ///   - read: decodes and submits the body.
  package static func handle(
    _ request: HTTPRequest, _ receiving: Receiving, _ format: String, _ origin: RejectedRecordOrigin,
    _ read: (Intake, consuming [UInt8]) throws(FormatError) -> HTTPReply
  ) throws(Problem) -> HTTPReply {
    guard let device = request.device else {
      throw Problem(401, "Access token needed", "Send the device's token: Authorization: Bearer TOKEN.")
    }
    var intake = Intake(
      receiving: receiving, request: request, device: device, received: receiving.store.clock.now, origin: origin)
    let sent = request.takeBody()
    intake.maximumRecords = RequestBody.maximumRecords(sent, encoding: request.header("Content-Encoding"))
    let body: [UInt8]
    do throws(Problem) { body = try receiving.decoded(sent, of: request) } catch {
      return intake.refuse(sent, because: error, encoding: request.header("Content-Encoding"))
    }
    do throws(FormatError) { return try read(intake, body) } catch {
      return intake.refuse(body, at: error.place.description, because: Problem(error, "Not \(format)"))
    }
  }

  /// Stores records, and answers after the commit.
  /// - Parameters:
  ///   - records: the valid records.
  ///   - rejections: the rejected records.
  ///   - range: the range of the device's journal that the request covers.
  ///   - response: creates the answer.
  package func submit(
    _ records: [Record], _ rejections: [RejectedRecord] = [], range: SequenceRange? = nil,
    response: @escaping @Sendable (SubmissionResult) -> HTTPResponse
  ) -> HTTPReply {
    submit(records, rejections, range: range) { [request] in request.finish(response($0)) }
  }

  /// Stores records, for an answer that needs more work after the commit.
  /// - Parameter stored: called on the store's thread. Finishes the request, immediately or later.
  package func submit(
    _ records: [Record], _ rejections: [RejectedRecord] = [], range: SequenceRange? = nil,
    stored: @escaping @Sendable (SubmissionResult) -> Void
  ) -> HTTPReply {
    if let rejection = request.suspend() { return .now(rejection) }
    store(records, rejections, range: range, stored)
    return .later
  }

  /// Stores the records of a request that is already suspended.
  package func store(
    _ records: [Record], _ rejections: [RejectedRecord], range: SequenceRange? = nil,
    _ stored: @escaping @Sendable (SubmissionResult) -> Void
  ) {
    receiving.store.submit(
      Submission(device: device, records: records, rejections: rejections, range: range, received: received) { [request] result in
        switch result {
        case .success(let what): stored(what)
        case .failure(let error): request.finish(Self.unavailable(error).response)
        }
      })
  }

  /// Stores a body that cannot be decoded, then answers with the problem.
  package func refuse(
    _ body: [UInt8], at place: String = "body", because problem: Problem, encoding: String? = nil
  ) -> HTTPReply {
    let rejected = RejectedRecord(place: place, reason: problem.detail, raw: body, origin: origin.whole(encoding: encoding))
    return submit([], [rejected]) { _ in problem.response }
  }

  /// The answer if the store failed. The device keeps its records and retries.
  package static func unavailable(_ error: any Error) -> Problem {
    Problem.unavailable("Not stored", error, retryAfter: error is StoreError ? 1 : 30)
  }
}

extension RejectedRecord {
  package init(_ part: RejectedPart, from origin: RejectedRecordOrigin) {
    self.init(place: part.place.description, reason: part.reason, raw: part.raw, size: part.size, origin: origin)
  }

  /// Returns the record without any occurrence of a secret.
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
    // The bytes of a truncated record may end within the secret.
    if size > raw.count, let part = (4..<hidden.count).last(where: { kept.suffix($0).elementsEqual(hidden[..<$0]) }) {
      kept.removeLast(part)
    }
    return RejectedRecord(place: place, reason: reason.replacing(secret, with: "…"), raw: kept, size: size, origin: origin)
  }
}

extension Problem {
  /// Creates the problem of a body that cannot be decoded.
  /// - Parameters:
  ///   - error: the fault.
  ///   - title: the title, which is the same for every occurrence.
  package init(_ error: FormatError, _ title: String) {
    self = error.isLimit ? Problem(413, "Body too large", error.description) : Problem(400, title, error.description)
  }
}

extension FormatError {
  /// The status of an answer when only the first part of a request was stored.
  package var status: Int { isLimit ? 413 : 400 }

  /// The text of an answer when only the first part of a request was stored.
  package var interruption: String {
    "\(isLimit ? "" : "The body is not valid JSON: ")\(description). The records before it are stored."
  }
}
