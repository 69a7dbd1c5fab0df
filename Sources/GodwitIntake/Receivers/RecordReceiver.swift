package import GodwitHTTP
internal import GodwitStore
internal import GodwitText
internal import GodwitWire

/// Receives the records of every ``RecordProtocol``.
///
/// The clients of these protocols retry after every answer that is not 2xx, and some discard the records after a few attempts.
/// Therefore an invalid body is stored as a rejected record and answered with 200. Only a body over a limit is answered with 413.
package struct RecordReceiver {
  package let receiving: Receiving

  package init(receiving: Receiving) { self.receiving = receiving }

  package func respond(_ request: HTTPRequest, _ sender: RecordProtocol) throws(Problem) -> HTTPReply {
    let origin = RejectedRecordOrigin(sender.format)
    return try Intake.handle(request, receiving, "a \(sender.title) request", origin) { (intake, body) throws(FormatError) in
      let batch: RecordBatch
      do throws(FormatError) { batch = try sender.read(body, intake.received, intake.maximumRecords) } catch {
        if error.isLimit { throw error }
        let rejected = RejectedRecord(
          place: error.place.description, reason: error.reason, raw: body, origin: origin.whole())
        return intake.submit([], [rejected]) { _ in .empty }
      }
      let limit = batch.broken.flatMap { $0.isLimit ? Problem($0, "").response : nil }
      return intake.submit(batch.records, batch.rejected.map { RejectedRecord($0, from: origin) }) { _ in limit ?? .empty }
    }
  }
}
