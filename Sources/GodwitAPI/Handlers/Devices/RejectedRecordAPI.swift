internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitRegions
internal import GodwitRoutes
internal import GodwitStore

/// `/api/v1/rejected…`: lists rejected records as received, with the reason, and decodes them again.
struct RejectedRecordAPI {
  let work: RequestWork
  let regionChanges: RegionChangeNotifier
  let appConfigurations: AppConfigurationCache

  /// Maximum size of a corrected record in bytes.
  static let maximumBody = 1 << 20

  // MARK: Checks

  /// Lists records, the newest first.
  func list(_ request: ParameterRequest<ListParameters>) async throws -> RecordPage {
    let (principal, parameters) = (request.principal, request.parameters)
    return try await work.run {
      let query = RejectedRecordTable.Query(
        devices: try devices(parameters.device?.name, principal), reason: parameters.reason, state: parameters.state ?? .open,
        before: parameters.cursor?.place.row ?? .max, limit: parameters.limit.count)
      let (found, dropped) = try work.store.read { db in
        (try RejectedRecordTable.all(query, db), try RejectedRecordTable.dropped(db))
      }
      let lost = dropped.filter { query.devices?.contains($0.key) ?? true }.values.reduce(0, +)
      return RecordPage(
        rejected: found.map { RejectedRecordObject($0) }, dropped: lost,
        nextCursor: NextCursor(found.count == query.limit ? found.last.map { String($0.id) } : nil))
    }
  }

  /// Returns a record with its lines; the lines that caused the rejection are marked.
  func one(_ request: PlainRequest) async throws -> RecordWithLines {
    let (text, principal) = (request.parameter, request.principal)
    return try await work.run {
      let record = try record(text, principal)
      let shown = RejectedText(record)
      let lines = Lines(lines: shown.lines, marked: shown.marked.map { [$0.lowerBound, $0.upperBound] })
      return RecordWithLines(record: RejectedRecordObject(record), lines: lines)
    }
  }

  // MARK: Trying again

  /// Decodes the record as received, or as corrected in the body.
  func retry(_ request: OperationRequest<RetryParameters, RawBody<CorrectedRecord>>) async throws -> RetryResult {
    let (text, principal, now) = (request.parameter, request.principal, work.now)
    let (corrected, format) = (request.body.bytes, request.parameters.protocol?.format)
    return try await work.run {
      let record = try record(text, principal)
      let outcome = try RejectedRecordRetry(store: work.store).run(
        record, raw: corrected.isEmpty ? nil : corrected, format: format, at: now)
      publish(outcome.hasChangedRegions, of: [record.device])
      if let rejected = outcome.rejected {
        throw Problem(
          422, "Rejected again", "\(rejected.reason) (\(rejected.place)). Correct the record and send it as the body.",
          at: rejected.place)
      }
      return RetryResult(id: record.id, saved: outcome.saved, duplicates: outcome.duplicates)
    }
  }

  /// Decodes all records of a device, of a reason, or of all devices.
  func retryMany(_ request: ParameterRequest<RetryManyParameters>) async throws -> RetrySummary {
    let (principal, parameters, now) = (request.principal, request.parameters, work.now)
    return try await work.run {
      let summary = try RejectedRecordRetry(store: work.store).runMany(
        devices: try devices(parameters.device?.name, principal), reason: parameters.reason,
        after: parameters.cursor?.place.row ?? 0, limit: parameters.limit.count, format: parameters.protocol?.format, at: now)
      publish(summary.hasChangedRegions, of: [])
      return RetrySummary(
        solved: summary.solved, rejected: summary.rejected, skipped: summary.skipped,
        nextCursor: NextCursor(summary.next.map { String($0) }))
    }
  }

  /// Publishes changes of regions and devices.
  private func publish(_ hasChangedRegions: Bool, of devices: [Device]) {
    if hasChangedRegions { regionChanges.refresh() }
    for device in devices { appConfigurations.invalidate(device.id) }
  }

  // MARK: Discarding

  func remove(_ request: PlainRequest) async throws -> DeletedCount {
    let (text, principal) = (request.parameter, request.principal)
    let record = try await work.run { try self.record(text, principal) }
    let query = RejectedRecordTable.Query(devices: [record.device.id], before: record.id + 1, after: record.id - 1, limit: 1)
    return DeletedCount(deleted: try await work.write { try RejectedRecordTable.remove(query, $0) })
  }

  /// Deletes records of a device, with a reason, or the resolved ones.
  func removeMany(_ request: ParameterRequest<DeletionParameters>) async throws -> DeletedCount {
    let (principal, parameters) = (request.principal, request.parameters)
    guard parameters.device != nil || parameters.reason != nil || parameters.state != nil else {
      throw Problem(400, "Bad argument", "Select records: device=NAME, reason=TEXT, or state=open, solved or all.", at: "device")
    }
    let devices = try await work.run { try self.devices(parameters.device?.name, principal) }
    let query = RejectedRecordTable.Query(
      devices: devices, reason: parameters.reason, state: parameters.state ?? .all, limit: 1)
    return DeletedCount(deleted: try await work.write { try RejectedRecordTable.remove(query, $0) })
  }

  // MARK: Pieces

  /// Returns the requested device, or all devices of the requester; `nil` means all devices of the server.
  private func devices(_ name: String?, _ principal: Principal) throws(Problem) -> [Int64]? {
    guard let name else { return principal.ownDevices }
    return [try principal.device(named: name, in: work.store, wholly: true).id]
  }

  /// Returns a record that the requester may see.
  /// - Throws: 404 also for records of other users.
  private func record(_ text: String, _ principal: Principal) throws -> StoredRejectedRecord {
    guard let id = RowNumber(text)?.value, let found = try work.store.read({ try RejectedRecordTable.one(id, $0) }),
      principal.seesAll(of: found.device.id)
    else { throw RejectedRecordRetry.unknown(text) }
    return found
  }
}
