internal import Foundation
package import GodwitHTTP
internal import GodwitModel
package import GodwitRegions
internal import GodwitStore
internal import GodwitText
internal import GodwitWire

/// Receives Overland uploads.
package struct OverlandReceiver {
  package let receiving: Receiving
  package let appConfigurations: AppConfigurationCache
  package let regionChanges: RegionChangeNotifier
  /// The name of the device in the URL, used if the app does not send one.
  package var label: String?

  package init(
    receiving: Receiving, appConfigurations: AppConfigurationCache, regionChanges: RegionChangeNotifier, label: String? = nil
  ) {
    self.receiving = receiving
    self.appConfigurations = appConfigurations
    self.regionChanges = regionChanges
    self.label = label
  }

  package func respond(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let text = request.header(SequenceRange.header)
    let covered: SequenceRange?
    do throws(SequenceRange.Fault) {
      covered = try text.map { text throws(SequenceRange.Fault) in try SequenceRange(parsing: text) }
    } catch {
      if error == .tooWide, let text { throw Self.tooWide(text) }
      covered = nil
    }
    return try Intake.handle(request, receiving, "an Overland request", RejectedRecordOrigin(.overland, label: label)) {
      (intake, body) throws(FormatError) in
      var read = try Overland.read(body, maximumRecords: intake.maximumRecords)
      if let label {
        for index in read.records.indices where read.records[index].context.deviceID == nil {
          read.records[index].context.deviceID = label
        }
      }
      let batch = read
      var rejections = batch.rejected.map {
        RejectedRecord(place: $0.place.description, reason: $0.reason, raw: $0.raw, size: $0.size, origin: intake.origin)
      }
      if covered == nil, let text { rejections.append(Self.badRange(text)) }
      let reply = Response(
        rejected: batch.rejected.map { ($0.index, "\($0.reason) (\($0.place))") }, broken: batch.broken,
        // Computed before the commit, to relieve the store's thread.
        hint: regionChanges.hint(device: intake.device.id)?.description)
      // If this read fails, the configuration is used at the next upload.
      let configuration = (try? appConfigurations.configuration(of: intake.device.id)) ?? AppConfiguration()
      let state = batch.broken == nil ? OverlandState(batch, wasOnTrip: configuration.isOnTrip) : nil
      let records = configuration.pendingChange == nil ? [] : batch.records
      // The range that an incomplete request covers is unknown.
      return intake.submit(batch.records, rejections, range: batch.broken == nil ? covered : nil) {
        (stored: SubmissionResult) -> Void in
        let order = batch.broken == nil ? configuration.pendingChange : nil
        if order == nil, state == nil { return request.finish(reply.response(stored)) }
        let decision = order?.decision(on: records, saved: stored.saved)
        receiving.store.write { db -> String? in
          try state?.store(of: intake.device.id, at: intake.received, db)
          switch decision {
          case .send: return try order?.recordSent(at: intake.received, db) == true ? order?.settings.set : nil
          case .applied: try order?.recordTaken(at: intake.received, db)
          case nil: break
          }
          return nil
        } completion: { result in
          appConfigurations.invalidate(intake.device.id)
          // The records are stored even if these writes failed. The next upload repeats the writes.
          let settings: String? = if case .success(let settings) = result { settings } else { nil }
          request.finish(reply.response(stored, settings: settings))
        }
      }
    }
  }

  /// The content of the answer.
  private struct Response: Sendable {
    var rejected: [(index: Int, reason: String)]
    var broken: FormatError?
    /// The digest of the device's regions. A tracker synchronizes its regions when the digest changes.
    var hint: String?

    func response(_ stored: SubmissionResult, settings: String? = nil) -> HTTPResponse {
      var reply: [UInt8] = []
      Overland.writeResponse(
        saved: stored.saved, duplicates: stored.duplicates, rejected: rejected, settings: settings,
        error: broken?.interruption, into: &reply)
      if let hint, reply.last == UInt8(ascii: "}") {
        reply.removeLast()
        reply += Array(#","regions":"\#(hint)"}"#.utf8)
      }
      return .json(reply, status: broken?.status ?? 200)
    }
  }

  /// Rejects an implausible range. With such a range, all numbers up to its end would count as missing.
  private static func tooWide(_ text: String) -> Problem {
    Problem(
      400, "Bad range",
      "\(SequenceRange.header): \"\(text.prefix(120))\" is too wide; expected JOURNAL FIRST-LAST with numbers from 1 to "
        + "\(SequenceRange.maximumNumber), such as 9f86d081884c7d65 17-516. Send the range that this batch covers, or no range.",
      at: "header \(SequenceRange.header)")
  }

  /// A rejected record for an invalid range. The records of the request are valid without the range.
  private static func badRange(_ text: String) -> RejectedRecord {
    RejectedRecord(
      place: "header \(SequenceRange.header)",
      reason: "\"\(text)\" is not a range; expected JOURNAL FIRST-LAST, such as 9f86d081884c7d65 17-516",
      raw: Array(text.utf8))
  }
}
