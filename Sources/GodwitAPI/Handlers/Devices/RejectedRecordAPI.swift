internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitRegions
internal import GodwitStore
internal import GodwitText

/// `/api/v1/rejected…`: rejected records as received, with the reason; decoding them again.
struct RejectedRecordAPI {
  let work: RequestWork
  let regionChanges: RegionChangeNotifier
  let appConfigurations: AppConfigurationCache

  /// Rejected records in a page, unless the request limits it further.
  private static let pageSize = 100
  private static let largestPage = 1000
  /// Bytes of a corrected record.
  static let maximumBody = 1 << 20

  // MARK: Checks

  /// `GET /api/v1/rejected`: the newest first.
  func list(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    let name = request.query["device"]
    var query = try Self.query(request, state: .open, limit: Self.pageSize)
    query.before = try request.query.rowCursor() ?? .max
    return work.later(request) { [query] in
      var query = query
      query.devices = try devices(name, reader)
      let (found, dropped) = try work.store.read { connection in
        (try RejectedRecordTable.all(query, connection), try RejectedRecordTable.dropped(connection))
      }
      let lost = dropped.filter { query.devices?.contains($0.key) ?? true }.values.reduce(0, +)
      let next = found.count == query.limit ? found.last.map { "\"\($0.id)\"" } : nil
      let texts = found.map(\.json).joined(separator: ",")
      return .json(Array("{\"rejected\":[\(texts)],\"dropped\":\(lost),\"next_cursor\":\(next ?? "null")}\n".utf8))
    }
  }

  /// `GET /api/v1/rejected/ID`: a rejected record; the lines with the fault are marked.
  func one(_ request: HTTPRequest) -> HTTPReply {
    let (text, reader) = (request.parameter, request.reader)
    return work.later(request) {
      let refusal = try refusal(text, reader)
      let shown = RejectedText(refusal)
      let lines = shown.lines.map(\.jsonQuoted).joined(separator: ",")
      let marked = shown.marked.map { "[\($0.lowerBound),\($0.upperBound)]" } ?? "null"
      return .json(Array((refusal.json.dropLast() + ",\"lines\":[\(lines)],\"marked\":\(marked)}\n").utf8))
    }
  }

  // MARK: Trying again

  /// `POST /api/v1/rejected/ID/retry`: decodes the record as received, or as corrected in the body.
  func retry(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let (text, reader) = (request.parameter, request.reader)
    let mended = request.takeBody()
    let language = try Self.language(request)
    return work.later(request) {
      let refusal = try refusal(text, reader)
      let outcome = try RejectedRecordRetry(store: work.store).run(
        refusal, raw: mended.isEmpty ? nil : mended, language: language, at: Date())
      tell(outcome.hasChangedRegions, of: [refusal.device])
      if let refused = outcome.refused {
        throw Problem(
          422, "Refused again", "\(refused.reason) (\(refused.place)). Mend the record and send it as the body.",
          at: refused.place)
      }
      return JSONText.response(
        JSONText.object {
          $0.add("id", Int(refusal.id))
          $0.add("saved", outcome.saved)
          $0.add("duplicates", outcome.duplicates)
        })
    }
  }

  /// `POST /api/v1/rejected/retry`: all of a device, of a reason, or of all devices.
  func retryMany(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    let name = request.query["device"]
    let language = try Self.language(request)
    let query = try Self.query(request, state: .open, limit: Self.largestPage)
    let after = try request.query.rowCursor() ?? 0
    return work.later(request) {
      let devices = try devices(name, reader)
      let summary = try RejectedRecordRetry(store: work.store).runMany(
        devices: devices, reason: query.reason, after: after, limit: query.limit, language: language, at: Date())
      tell(summary.hasChangedRegions, of: [])
      return JSONText.response(
        JSONText.object {
          $0.add("solved", summary.solved)
          $0.add("refused", summary.refused)
          $0.add("skipped", summary.skipped)
          $0.add("next_cursor", summary.next.map(String.init))
        })
    }
  }

  /// Publishes changes of regions and devices.
  private func tell(_ hasChangedRegions: Bool, of devices: [Device]) {
    if hasChangedRegions { regionChanges.refresh() }
    for device in devices { appConfigurations.invalidate(device.id) }
  }

  // MARK: Discarding

  /// `DELETE /api/v1/rejected/ID`
  func remove(_ request: HTTPRequest) -> HTTPReply {
    let (text, reader) = (request.parameter, request.reader)
    return work.later(request) {
      let refusal = try refusal(text, reader)
      let query = RejectedRecordTable.Query(devices: [refusal.device.id], before: refusal.id + 1, after: refusal.id - 1, limit: 1)
      let count = try work.store.writeAndWait { try RejectedRecordTable.remove(query, $0) }
      return JSONText.response(JSONText.object { $0.add("deleted", count) })
    }
  }

  /// `DELETE /api/v1/rejected`: those of a device, those with a reason, or the resolved ones.
  func removeMany(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    let name = request.query["device"]
    guard name != nil || request.query["reason"] != nil || request.query.text("state") != nil else {
      throw Problem(
        400, "Bad argument", "Say which: device=NAME, reason=TEXT, or state=open, solved or all.", at: "device")
    }
    let query = try Self.query(request, state: .all, limit: 1)
    return work.later(request) {
      var query = query
      query.devices = try devices(name, reader)
      let count = try work.store.writeAndWait { [query] in try RejectedRecordTable.remove(query, $0) }
      return JSONText.response(JSONText.object { $0.add("deleted", count) })
    }
  }

  // MARK: Arguments

  private static func query(
    _ request: HTTPRequest, state: RejectedRecordTable.State, limit: Int
  ) throws(Problem) -> RejectedRecordTable.Query {
    var query = RejectedRecordTable.Query(limit: try request.query.limit(standard: limit, largest: largestPage))
    query.reason = request.query["reason"]
    query.state = try request.query.choice("state", of: RejectedRecordTable.State.self) ?? state
    return query
  }

  private static func language(_ request: HTTPRequest) throws(Problem) -> RejectedRecordOrigin.Format? {
    guard let name = request.query.text("protocol") else { return nil }
    guard let format = RecordProtocol.formats.first(where: { $0.rawValue == name }) else {
      let names = RecordProtocol.formats.map(\.rawValue).joined(separator: ", ")
      throw Problem(400, "Bad argument", "protocol=\(name.prefix(80)): expected one of \(names).", at: "protocol")
    }
    return format
  }

  /// The requested device, or all devices of the requester; `nil`: all devices.
  private func devices(_ name: String?, _ reader: Reader) throws(Problem) -> [Int64]? {
    guard let name else { return reader.ownDevices }
    return [try reader.device(named: name, in: work.store, wholly: true).id]
  }

  /// A rejected record that the requester may see. Those of other users are not found.
  private func refusal(_ text: String, _ reader: Reader) throws -> StoredRejectedRecord {
    guard let id = RowNumber(text)?.value, let found = try work.store.read({ try RejectedRecordTable.one(id, $0) }),
      reader.seesAll(of: found.device.id)
    else { throw RejectedRecordRetry.unknown(text) }
    return found
  }
}
