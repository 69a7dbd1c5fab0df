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
  /// The device's name in the URL, if the app sends none.
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
    return try Intake.take(request, receiving, "an Overland request", RejectedRecordOrigin(.overland, label: label)) {
      (intake, body) throws(FormatError) in
      var read = try Overland.read(body, maximumRecords: intake.maximumRecords)
      if let label {
        for index in read.records.indices where read.records[index].context.deviceID == nil {
          read.records[index].context.deviceID = label
        }
      }
      let batch = read
      var refusals = batch.refused.map {
        RejectedRecord(place: $0.place.description, reason: $0.reason, raw: $0.raw, size: $0.size, origin: intake.origin)
      }
      if covered == nil, let text { refusals.append(Self.badRange(text)) }
      let answer = Answer(
        rejected: batch.refused.map { ($0.index, "\($0.reason) (\($0.place))") }, broken: batch.broken,
        // Computed here and not after the commit, to relieve the store's thread.
        hint: regionChanges.hint(device: intake.device.id)?.description)
      // If this read fails, the next upload reads it.
      let terms = (try? appConfigurations.terms(of: intake.device.id)) ?? AppConfiguration()
      let moment = batch.broken == nil ? NewestPoint(batch, wasOnTrip: terms.isOnTrip) : nil
      let records = terms.order == nil ? [] : batch.records
      // The covered range of an incomplete request is unknown.
      return intake.submit(batch.records, refusals, range: batch.broken == nil ? covered : nil) {
        (stored: SubmissionResult) -> Void in
        let order = batch.broken == nil ? terms.order : nil
        if order == nil, moment == nil { return request.finish(answer.response(stored)) }
        let verdict = order?.verdict(on: records, saved: stored.saved)
        receiving.store.write { connection -> String? in
          try moment?.keep(of: intake.device.id, at: intake.received, connection)
          switch verdict {
          case .send: return try order?.noteSent(at: intake.received, connection) == true ? order?.settings.set : nil
          case .applied: try order?.noteTaken(at: intake.received, connection)
          case nil: break
          }
          return nil
        } completion: { result in
          appConfigurations.invalidate(intake.device.id)
          // The records are stored even if the rest failed, which is retried.
          let settings: String? = if case .success(let settings) = result { settings } else { nil }
          request.finish(answer.response(stored, settings: settings))
        }
      }
    }
  }

  /// The content of the answer.
  private struct Answer: Sendable {
    var rejected: [(index: Int, reason: String)]
    var broken: FormatError?
    /// The digest of the device's regions, which makes a tracker sync.
    var hint: String?

    func response(_ stored: SubmissionResult, settings: String? = nil) -> HTTPResponse {
      var answer: [UInt8] = []
      Overland.writeAnswer(
        saved: stored.saved, duplicates: stored.duplicates, rejected: rejected, settings: settings,
        error: broken?.interruption, into: &answer)
      if let hint, answer.last == UInt8(ascii: "}") {
        answer.removeLast()
        answer += Array(#","regions":"\#(hint)"}"#.utf8)
      }
      return .json(answer, status: broken?.status ?? 200)
    }
  }

  /// The current state in a request beside its records: the newest position if more records are queued than sent, and
  /// the current trip. Neither is a point of the track.
  private struct NewestPoint: Sendable {
    private var current: String?
    private var trip: String?
    private var isTripOver: Bool

    /// - Parameters:
    ///   - request: the decoded request.
    ///   - wasOnTrip: whether the store has a current trip. A request without one ends it.
    /// - Returns: `nil` if nothing has to be stored.
    init?(_ request: Overland.Request, wasOnTrip: Bool) {
      if let record = request.current {
        var text: [UInt8] = []
        Overland.writeFeature(record, device: nil, into: &text)
        current = String(decoding: text, as: UTF8.self)
      }
      // The Android app sends a string with JSON, which is not validated before.
      if let text = request.trip, (try? JSONSerialization.jsonObject(with: Data(text.utf8))) is [String: Any] { trip = text }
      isTripOver = trip == nil && wasOnTrip
      if current == nil, trip == nil, !isTripOver { return nil }
    }

    func keep(of device: Int64, at time: Date, _ connection: any SQLConnection) throws {
      if let current { try AppTables.keep("current", current, of: device, at: time, connection) }
      if let trip { try AppTables.keep("trip", trip, of: device, at: time, connection) }
      if isTripOver { try AppTables.remove("trip", of: device, connection) }
    }
  }

  /// Refuses an implausible range: with it everything up to the number would count as missing.
  private static func tooWide(_ text: String) -> Problem {
    Problem(
      400, "Bad range",
      "\(SequenceRange.header): \"\(text.prefix(120))\" is too wide; expected JOURNAL FIRST-LAST with numbers from 1 to "
        + "\(SequenceRange.maximumNumber), such as 9f86d081884c7d65 17-516. Send the range that this batch covers, or no range.",
      at: "header \(SequenceRange.header)")
  }

  /// A rejected record for an invalid range. The records are valid without it.
  private static func badRange(_ text: String) -> RejectedRecord {
    RejectedRecord(
      place: "header \(SequenceRange.header)",
      reason: "\"\(text)\" is not a range; expected JOURNAL FIRST-LAST, such as 9f86d081884c7d65 17-516",
      raw: Array(text.utf8))
  }
}
