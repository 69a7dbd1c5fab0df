package import Foundation
package import GodwitHTTP
package import GodwitModel
internal import GodwitRegions
package import GodwitStore
internal import GodwitText
internal import GodwitWire
internal import Synchronization

/// Decodes a rejected record again, as received or corrected, and stores its records. Private zones apply, and
/// duplicates are not stored.
package struct RejectedRecordRetry: Sendable {
  package let store: any StoreDatabase

  package init(store: any StoreDatabase) { self.store = store }

  /// The result of a retry.
  package struct Outcome: Sendable {
    package var refusal: Int64
    /// New records, and records that existed already.
    package var saved: Int
    package var duplicates: Int
    /// Why it is still rejected; `nil`: it is resolved.
    package var refused: RejectedRecord?
    /// Whether regions were created or changed.
    package var hasChangedRegions = false
  }

  /// The result of decoding.
  package struct Reading: Sendable {
    package var records: [Record] = []
    package var refusals: [RejectedRecord] = []
    /// Reports of the app about itself.
    package var reports: [(type: String, body: String)] = []
    package var hasChangedRegions = false
  }

  /// Retries a rejected record. Blocks the thread, which must not be the store's.
  /// - Parameters:
  ///   - id: the number of the rejected record.
  ///   - raw: the corrected bytes; `nil`: as received.
  ///   - language: the format, if it is unknown.
  ///   - now: the time.
  /// - Throws: `Problem` if a retry is impossible; errors of the store.
  package func run(
    _ id: Int64, raw: [UInt8]? = nil, language: RejectedRecordOrigin.Format? = nil, at now: Date
  ) throws -> Outcome {
    guard let refusal = try store.read({ try RejectedRecordTable.one(id, $0) }) else { throw Self.unknown(String(id)) }
    return try run(refusal, raw: raw, language: language, at: now)
  }

  package func run(
    _ refusal: StoredRejectedRecord, raw: [UInt8]? = nil, language: RejectedRecordOrigin.Format? = nil, at now: Date
  ) throws -> Outcome {
    let (bytes, origin) = try Self.tried(refusal, raw, language)
    let found = read(bytes, origin, refusal)
    var reading = try found.get()
    if reading.records.isEmpty, reading.reports.isEmpty, reading.refusals.isEmpty, !reading.hasChangedRegions {
      reading.refusals = [RejectedRecord(place: "body", reason: "there is no record in it", raw: bytes)]
    }
    let stored = try submit(reading, of: refusal, at: now)
    return Outcome(
      refusal: refusal.id, saved: stored.saved, duplicates: stored.duplicates, refused: reading.refusals.first,
      hasChangedRegions: reading.hasChangedRegions)
  }

  /// The bytes to decode, with their origin.
  private static func tried(
    _ refusal: StoredRejectedRecord, _ raw: [UInt8]?, _ language: RejectedRecordOrigin.Format?
  ) throws(Problem) -> (bytes: [UInt8], origin: RejectedRecordOrigin) {
    guard refusal.solved == nil else {
      throw Problem(409, "Solved", "Rejected record \(refusal.id) is stored already. Nothing was done.")
    }
    guard raw == nil || raw?.isEmpty == false else {
      throw Problem(
        400, "Nothing to read", "The body is empty. Send the corrected record, or omit the body to retry the original.")
    }
    var origin: RejectedRecordOrigin? = refusal.refused.origin
    if let language, origin?.language != language {
      origin = RejectedRecordOrigin(language, isPart: origin?.isPart ?? !refusal.refused.place.hasPrefix("body"))
    }
    guard var origin, RecordProtocol.formats.contains(origin.language) else {
      let names = RecordProtocol.formats.map(\.rawValue).joined(separator: ", ")
      throw Problem(
        422, "Unknown protocol",
        "The protocol of this record is unknown: another version of the server received it, or it is not a record. Pass it: "
          + "?protocol=NAME, one of \(names).", at: "protocol")
    }
    if let raw {
      // Corrected bytes are plain text.
      origin.encoding = nil
      return (raw, origin)
    }
    guard !refusal.isCut else {
      throw Problem(
        409, "Record incomplete",
        "It had \(refusal.size) bytes, of which the first \(refusal.refused.raw.count) are stored. Send the complete record as the body, "
          + "or delete it.")
    }
    guard !refusal.refused.raw.isEmpty else {
      throw Problem(
        409, "Not stored", "The bytes were not stored because of private zones. Send the record as the body, or delete it.")
    }
    return (refusal.refused.raw, origin)
  }

  // MARK: Reading

  private func read(_ bytes: [UInt8], _ origin: RejectedRecordOrigin, _ refusal: StoredRejectedRecord) -> Result<
    Reading, any Error
  > {
    do {
      let body: [UInt8]
      do throws(Problem) { body = try RequestBody.decoded(bytes, encoding: origin.encoding, limit: 16 << 20) } catch {
        return .success(Reading(refusals: [RejectedRecord(place: "body", reason: error.detail, raw: bytes)]))
      }
      if origin.language == .owntracks { return .success(try ownTracks(body, origin, refusal)) }
      do throws(FormatError) { return .success(try Self.decoded(body, origin, refusal.received)) } catch {
        return .success(Reading(refusals: [RejectedRecord(place: error.place.description, reason: error.reason, raw: bytes)]))
      }
    } catch {
      return .failure(error)
    }
  }

  private static func decoded(
    _ body: [UInt8], _ origin: RejectedRecordOrigin, _ received: Date
  ) throws(FormatError) -> Reading {
    var reading = Reading()
    switch origin.language {
    case .overland:
      // A single feature counts as a batch of one, with the same reasons for rejection.
      let isFeature = origin.isPart && !isRequest(body)
      let request = try Overland.read(isFeature ? Array(#"{"locations":["#.utf8) + body + Array("]}".utf8) : body)
      reading.records = request.records
      reading.refusals = request.refused.map {
        RejectedRecord(place: $0.place.description, reason: $0.reason, raw: $0.raw, size: $0.size)
      }
      if let broken = request.broken, reading.refusals.isEmpty { throw broken }
    case .openlocate:
      let batch = try OpenLocate.read(body, received: received)
      reading.records = batch.records.map { OpenLocateColumns.kept($0) }
      reading.refusals = batch.refused.map { RejectedRecord($0, from: origin) }
    case .osmand, .gpslogger:
      let request = try OsmAnd.read(
        body, speed: origin.language == .osmand ? .knots : .metersPerSecond, received: received)
      reading.records = request.batch.records
      reading.refusals = request.batch.refused.map { RejectedRecord($0, from: origin) }
      // The device's own name for itself may be its token, and is not stored.
      for index in reading.records.indices { reading.records[index].context.deviceID = origin.label }
    default:
      guard let sender = RecordProtocol.named(origin.language) else { break }
      let batch = try sender.read(body, received, RecordBatch.maximumRecords)
      reading.records = batch.records
      reading.refusals = batch.refused.map { RejectedRecord($0, from: origin) }
    }
    guard let label = origin.label else { return reading }
    for index in reading.records.indices where reading.records[index].context.deviceID == nil {
      reading.records[index].context.deviceID = label
    }
    return reading
  }

  /// Whether a feature was corrected to a whole request.
  private static func isRequest(_ body: [UInt8]) -> Bool {
    let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
    return object?["locations"] is [Any] || object?["features"] is [Any]
  }

  private func ownTracks(_ body: [UInt8], _ origin: RejectedRecordOrigin, _ refusal: StoredRejectedRecord) throws -> Reading {
    let key = try store.read { try AppTables.terms(of: refusal.device.id, $0) }.key
    let sender = OwnTracksInbox.Sender(device: refusal.device, label: origin.label, agent: origin.agent)
    var batch = OwnTracksBatch(
      sender: sender, key: key.map { OwnTracksKey(passPhrase: $0) }, received: refusal.received)
    batch.read(body)
    var hasChangedRegions = false
    if !batch.waypoints.isEmpty || batch.hasTransitions {
      var regions = RegionsOfApp(DatabaseRegionStore(store), refusal.device, at: batch.received)
      for message in batch.waypoints {
        if let refused = try regions.take(message) { batch.refusals.append(refused) }
      }
      try regions.save()
      for index in batch.records.indices { try regions.name(&batch.records[index]) }
      // Regions that equal the app's are accepted without a change.
      hasChangedRegions = regions.hasChanged || !batch.waypoints.isEmpty
    }
    return Reading(
      records: batch.records, refusals: batch.refusals, reports: batch.reports, hasChangedRegions: hasChangedRegions)
  }

  // MARK: Storing

  private func submit(_ reading: Reading, of refusal: StoredRejectedRecord, at now: Date) throws -> SubmissionResult {
    let reports = reading.reports
    if !reports.isEmpty {
      try store.writeAndWait { connection in
        for (type, body) in reports { try AppTables.keep(type, body, of: refusal.device.id, at: refusal.received, connection) }
      }
    }
    let done = DispatchSemaphore(value: 0)
    let outcome = Mutex<Result<SubmissionResult, any Error>>(.failure(StoreError.noResult))
    // The original time of receipt applies; it is not a contact of the device now.
    var submission = Submission(
      device: refusal.device, records: reading.records, refusals: reading.refusals, received: refusal.received
    ) { result in
      outcome.withLock { $0 = result }
      done.signal()
    }
    submission.retrying = RetriedRejectedRecord(refusal: refusal.id, time: now)
    store.submit(submission)
    done.wait()
    return try outcome.withLock { $0 }.get()
  }

  // MARK: Many

  /// The result of several retries.
  package struct Summary: Sendable {
    package var solved = 0
    package var refused = 0
    /// Records that lack a format or bytes.
    package var skipped = 0
    /// Where the next call continues; `nil`: at the end.
    package var next: Int64?
    package var hasChangedRegions = false
  }

  /// Retries several rejected records, the oldest first.
  /// - Parameters:
  ///   - devices: the devices; `nil`: all.
  ///   - reason: only those with this reason; `nil`: all.
  ///   - after: only those after this number.
  ///   - limit: the maximum number.
  ///   - language: the format, if it is unknown.
  ///   - now: the time.
  package func runMany(
    devices: [Int64]?, reason: String?, after: Int64 = 0, limit: Int, language: RejectedRecordOrigin.Format? = nil, at now: Date
  ) throws -> Summary {
    let query = RejectedRecordTable.Query(devices: devices, reason: reason, state: .open, after: after, limit: limit)
    let found = try store.read { try RejectedRecordTable.all(query, $0) }
    var summary = Summary()
    for refusal in found {
      do {
        let known = refusal.refused.origin?.language
        let outcome = try run(refusal, language: known == nil ? language : nil, at: now)
        if outcome.refused == nil { summary.solved += 1 } else { summary.refused += 1 }
        if outcome.hasChangedRegions { summary.hasChangedRegions = true }
      } catch is Problem {
        summary.skipped += 1
      }
    }
    if found.count == limit { summary.next = found.last?.id }
    return summary
  }

  package static func unknown(_ text: String) -> Problem {
    Problem(
      404, "Unknown rejected record",
      "No rejected record has the number \(text.jsonQuoted), or it was deleted. /api/v1/rejected lists all rejected records.")
  }
}
