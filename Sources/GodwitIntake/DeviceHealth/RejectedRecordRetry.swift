package import Foundation
package import GodwitHTTP
package import GodwitModel
internal import GodwitRegions
package import GodwitStore
internal import GodwitText
internal import GodwitWire
internal import Synchronization

/// Decodes a rejected record again, as received or corrected, and stores the resulting records. Private zones apply, and duplicates
/// are not stored again.
package struct RejectedRecordRetry: Sendable {
  package let store: any StoreDatabase

  package init(store: any StoreDatabase) { self.store = store }

  /// The result of a retry.
  package struct Outcome: Sendable {
    package var rejection: Int64
    /// Number of new records, and of records that were already stored.
    package var saved: Int
    package var duplicates: Int
    /// The reason why the record is still rejected; `nil` if it is resolved.
    package var rejected: RejectedRecord?
    /// Whether regions were created or changed.
    package var hasChangedRegions = false
  }

  /// The result of decoding.
  package struct Reading: Sendable {
    package var records: [Record] = []
    package var rejections: [RejectedRecord] = []
    /// Reports of the app about itself, such as its settings.
    package var reports: [(type: String, body: String)] = []
    package var hasChangedRegions = false
  }

  /// Retries a rejected record. Blocks the thread, which must not be a thread of the store.
  /// - Parameters:
  ///   - id: the number of the rejected record.
  ///   - raw: the corrected bytes; `nil`: the bytes as received.
  ///   - format: the format, if the record's format is unknown.
  ///   - now: the time.
  /// - Throws: `Problem` if a retry is impossible, or an error of the store.
  package func run(
    _ id: Int64, raw: [UInt8]? = nil, format: RejectedRecordOrigin.Format? = nil, at now: Date
  ) throws -> Outcome {
    guard let rejection = try store.read({ try RejectedRecordTable.one(id, $0) }) else { throw Self.unknown(String(id)) }
    return try run(rejection, raw: raw, format: format, at: now)
  }

  package func run(
    _ rejection: StoredRejectedRecord, raw: [UInt8]? = nil, format: RejectedRecordOrigin.Format? = nil, at now: Date
  ) throws -> Outcome {
    let (bytes, origin) = try Self.tried(rejection, raw, format)
    let found = read(bytes, origin, rejection)
    var reading = try found.get()
    if reading.records.isEmpty, reading.reports.isEmpty, reading.rejections.isEmpty, !reading.hasChangedRegions {
      reading.rejections = [RejectedRecord(place: "body", reason: "there is no record in it", raw: bytes)]
    }
    let stored = try submit(reading, of: rejection, at: now)
    return Outcome(
      rejection: rejection.id, saved: stored.saved, duplicates: stored.duplicates, rejected: reading.rejections.first,
      hasChangedRegions: reading.hasChangedRegions)
  }

  /// Returns the bytes to decode, and their origin.
  private static func tried(
    _ rejection: StoredRejectedRecord, _ raw: [UInt8]?, _ format: RejectedRecordOrigin.Format?
  ) throws(Problem) -> (bytes: [UInt8], origin: RejectedRecordOrigin) {
    guard rejection.solved == nil else {
      throw Problem(409, "Solved", "Rejected record \(rejection.id) is stored already. Nothing was done.")
    }
    guard raw == nil || raw?.isEmpty == false else {
      throw Problem(
        400, "Nothing to read", "The body is empty. Send the corrected record, or omit the body to retry the original.")
    }
    var origin: RejectedRecordOrigin? = rejection.rejected.origin
    if let format, origin?.format != format {
      origin = RejectedRecordOrigin(format, isPart: origin?.isPart ?? !rejection.rejected.place.hasPrefix("body"))
    }
    guard var origin, RecordProtocol.formats.contains(origin.format) else {
      let names = RecordProtocol.formats.map(\.rawValue).joined(separator: ", ")
      throw Problem(
        422, "Unknown protocol",
        "The protocol of this record is unknown: another version of the server received it, or it is not a record. Pass it: "
          + "?protocol=NAME, one of \(names).", at: "protocol")
    }
    if let raw {
      // Corrected bytes are not compressed.
      origin.encoding = nil
      return (raw, origin)
    }
    guard !rejection.isCut else {
      throw Problem(
        409, "Record incomplete",
        "It had \(rejection.size) bytes, of which the first \(rejection.rejected.raw.count) are stored. Send the complete record as the body, "
          + "or delete it.")
    }
    guard !rejection.rejected.raw.isEmpty else {
      throw Problem(
        409, "Not stored", "The bytes were not stored because of private zones. Send the record as the body, or delete it.")
    }
    return (rejection.rejected.raw, origin)
  }

  // MARK: Reading

  private func read(_ bytes: [UInt8], _ origin: RejectedRecordOrigin, _ rejection: StoredRejectedRecord) -> Result<
    Reading, any Error
  > {
    do {
      let body: [UInt8]
      do throws(Problem) { body = try RequestBody.decoded(bytes, encoding: origin.encoding, limit: 16 << 20) } catch {
        return .success(Reading(rejections: [RejectedRecord(place: "body", reason: error.detail, raw: bytes)]))
      }
      if origin.format == .owntracks { return .success(try ownTracks(body, origin, rejection)) }
      do throws(FormatError) { return .success(try Self.decoded(body, origin, rejection.received)) } catch {
        return .success(Reading(rejections: [RejectedRecord(place: error.place.description, reason: error.reason, raw: bytes)]))
      }
    } catch {
      return .failure(error)
    }
  }

  private static func decoded(
    _ body: [UInt8], _ origin: RejectedRecordOrigin, _ received: Date
  ) throws(FormatError) -> Reading {
    var reading = Reading()
    switch origin.format {
    case .overland:
      // A single feature is decoded as a batch of one, so that the reasons for rejection are the same.
      let isFeature = origin.isPart && !isRequest(body)
      let request = try Overland.read(isFeature ? Array(#"{"locations":["#.utf8) + body + Array("]}".utf8) : body)
      reading.records = request.records
      reading.rejections = request.rejected.map {
        RejectedRecord(place: $0.place.description, reason: $0.reason, raw: $0.raw, size: $0.size)
      }
      if let broken = request.broken, reading.rejections.isEmpty { throw broken }
    case .openlocate:
      let batch = try OpenLocate.read(body, received: received)
      reading.records = batch.records.map { OpenLocateColumns.kept($0) }
      reading.rejections = batch.rejected.map { RejectedRecord($0, from: origin) }
    case .osmand, .gpslogger:
      let request = try OsmAnd.read(
        body, speed: origin.format == .osmand ? .knots : .metersPerSecond, received: received)
      reading.records = request.batch.records
      reading.rejections = request.batch.rejected.map { RejectedRecord($0, from: origin) }
      // The device's own identifier may be its token, so it is not stored.
      for index in reading.records.indices { reading.records[index].context.deviceID = origin.label }
    default:
      guard let sender = RecordProtocol.named(origin.format) else { break }
      let batch = try sender.read(body, received, RecordBatch.maximumRecords)
      reading.records = batch.records
      reading.rejections = batch.rejected.map { RejectedRecord($0, from: origin) }
    }
    guard let label = origin.label else { return reading }
    for index in reading.records.indices where reading.records[index].context.deviceID == nil {
      reading.records[index].context.deviceID = label
    }
    return reading
  }

  /// Whether the corrected bytes are a whole request instead of a single feature.
  private static func isRequest(_ body: [UInt8]) -> Bool {
    let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
    return object?["locations"] is [Any] || object?["features"] is [Any]
  }

  private func ownTracks(_ body: [UInt8], _ origin: RejectedRecordOrigin, _ rejection: StoredRejectedRecord) throws -> Reading {
    let configuration = try store.read { try AppTables.configuration(of: rejection.device.id, $0) }
    let sender = OwnTracksInbox.Sender(device: rejection.device, label: origin.label, agent: origin.agent)
    var batch = OwnTracksBatch(sender: sender, configuration, received: rejection.received)
    batch.read(body)
    var hasChangedRegions = false
    if !batch.waypoints.isEmpty || batch.hasTransitions {
      var regions = RegionsOfApp(DatabaseRegionStore(store), rejection.device, at: batch.received)
      for message in batch.waypoints {
        if let rejected = try regions.handle(message) { batch.rejections.append(rejected) }
      }
      try regions.save()
      for index in batch.records.indices { try regions.name(&batch.records[index]) }
      // A region that equals the app's region is accepted without a change.
      hasChangedRegions = regions.hasChanged || !batch.waypoints.isEmpty
    }
    return Reading(
      records: batch.records, rejections: batch.rejections, reports: batch.reports, hasChangedRegions: hasChangedRegions)
  }

  // MARK: Storing

  private func submit(_ reading: Reading, of rejection: StoredRejectedRecord, at now: Date) throws -> SubmissionResult {
    let reports = reading.reports
    if !reports.isEmpty {
      try store.writeAndWait { db in
        for (type, body) in reports {
          try AppTables.store(type, body, of: rejection.device.id, at: rejection.received, db)
        }
      }
    }
    let done = DispatchSemaphore(value: 0)
    let outcome = Mutex<Result<SubmissionResult, any Error>>(.failure(StoreError.noResult))
    // The original time of receipt is used, so that the retry does not count as a new contact of the device.
    var submission = Submission(
      device: rejection.device, records: reading.records, rejections: reading.rejections, received: rejection.received
    ) { result in
      outcome.withLock { $0 = result }
      done.signal()
    }
    submission.retrying = RetriedRejectedRecord(rejection: rejection.id, time: now)
    store.submit(submission)
    store.commitPending()
    done.wait()
    return try outcome.withLock { $0 }.get()
  }

  // MARK: Several records

  /// The result of several retries.
  package struct Summary: Sendable {
    package var solved = 0
    package var rejected = 0
    /// Records that cannot be retried, because their format is unknown or their bytes are incomplete.
    package var skipped = 0
    /// The number after which the next call continues; `nil` at the end.
    package var next: Int64?
    package var hasChangedRegions = false
  }

  /// Retries several rejected records, the oldest first.
  /// - Parameters:
  ///   - devices: only records of these devices; `nil`: of all devices.
  ///   - reason: only records with this reason; `nil`: with any reason.
  ///   - after: only records with a greater number.
  ///   - limit: the maximum number.
  ///   - format: the format of records whose format is unknown.
  ///   - now: the time.
  package func runMany(
    devices: [Int64]?, reason: String?, after: Int64 = 0, limit: Int, format: RejectedRecordOrigin.Format? = nil, at now: Date
  ) throws -> Summary {
    let query = RejectedRecordTable.Query(devices: devices, reason: reason, state: .open, after: after, limit: limit)
    let found = try store.read { try RejectedRecordTable.all(query, $0) }
    var summary = Summary()
    for rejection in found {
      do {
        let known = rejection.rejected.origin?.format
        let outcome = try run(rejection, format: known == nil ? format : nil, at: now)
        if outcome.rejected == nil { summary.solved += 1 } else { summary.rejected += 1 }
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
