internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitDeletion
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitMirror
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText
internal import GodwitTransfer
internal import GodwitWire

/// `/api/v1/mirror`: the state of this server's mirror, and the requests that another server sends to this server as its mirror.
struct MirrorAPI: Sendable {
  let work: RequestWork
  let tokens: TokenCache
  let receiving: Receiving
  let deletion: DeletionRun
  let announceDeletion: @Sendable () -> Void

  /// `GET /api/v1/mirror`
  func state(_ request: PlainRequest) async throws -> State {
    let now = work.now
    return State(try await work.read { try MirrorState($0) }, at: now)
  }

  /// `POST /api/v1/mirror/records`
  func store(_ request: OperationRequest<StoreParameters, RawBody<Batch>>) async throws -> Receipt {
    let (parameters, principal) = (request.parameters, request.http.principal)
    let body = try receiving.decoded(request.body.bytes, of: request.http)
    let batch: Overland.Request
    do throws(FormatError) { batch = try Overland.read(body) } catch { throw Problem(error, "Not an Overland request") }
    if let broken = batch.broken { throw Problem(broken, "Not an Overland request") }
    let device = try await device(parameters, principal)
    var rejected = batch.rejected.first.map { "\($0.reason) (\($0.place))" }
    if batch.rejected.isEmpty { rejected = nil }
    let replaced = ReplacedRange(times: parameters.times, removal: parameters.removal)
    let stored = try await submit(batch.records, of: device, replaced, isHistory: parameters.history)
    if stored.removedContexts.isUsed {
      try await work.run { try stored.clearRemains(work.store) }
      announceDeletion()
    }
    return Receipt(
      saved: stored.saved, duplicates: stored.duplicates, rejected: batch.rejected.count, reason: Nullable(wrappedValue: rejected)
    )
  }

  /// `GET /api/v1/mirror/records`
  func records(_ request: ParameterRequest<ReadParameters>) async throws -> RawResult<Batch> {
    let (parameters, principal) = (request.parameters, request.http.principal)
    let page = try await work.run {
      let device = try principal.device(named: parameters.device.name, in: work.store, wholly: true)
      return try MirrorPage(of: device.id, parameters.times, in: work.store)
    }
    var body: [UInt8] = []
    Overland.write(page.records, profile: .precise, into: &body)
    var response = HTTPResponse(status: 200, contentType: "application/json", body: body).with("Cache-Control", "no-store")
    if let next = page.next { response = response.with(Batch.nextHeader, String(next)) }
    return RawResult(response)
  }

  /// `DELETE /api/v1/mirror/devices`
  func delete(_ request: ParameterRequest<OriginParameters>) async throws -> Deleted {
    let (parameters, principal) = (request.parameters, request.http.principal)
    var audit = DeletionRequest.Audit(request.http)
    let device = try await work.read { try MirroredDevices.device(parameters.source, parameters.number.value, $0) }
    guard let device, principal.seesAll(of: device.id) else { return Deleted(deleted: nil) }
    audit.subject = device.name
    let line = audit
    try await work.run {
      _ = try deletion.run(DeletionRequest(target: .device(device.id), audit: line), at: work.now)
    }
    work.changed()
    tokens.invalidate()
    announceDeletion()
    return Deleted(deleted: device.name)
  }

  // MARK: Pieces

  /// Returns the device of a request.
  /// - Throws: ``Problem`` if the requester may not change the device.
  private func device(_ parameters: StoreParameters, _ principal: Principal) async throws -> Device {
    let (source, number, name) = (parameters.source, parameters.number.value, parameters.name)
    let found = try await work.read { db in
      (try MirroredDevices.device(source, number, db), try TrackTables.device(named: name, db))
    }
    for device in [found.0, found.1].compactMap(\.self) where !principal.seesAll(of: device.id) {
      throw Problem(409, "Name taken", "There is a device \(name.jsonQuoted) already. Choose another name.", at: "name")
    }
    if let known = found.0, known.name == name { return known }
    let (user, now, adopts) = (principal.user?.id, work.now, parameters.adopt)
    let origin = MirroredDevices.Origin(source: source, number: number, name: name)
    let device = try await work.write { db in
      do { return try MirroredDevices.device(origin, of: user, adopts: adopts, at: now, db) } catch let conflict as DeviceConflict
      {
        throw Problem(409, "Not mirrored", conflict.description, at: "name")
      }
    }
    tokens.invalidate()
    announceDeletion()
    return device
  }

  private func submit(
    _ records: [Record], of device: Device, _ replaced: ReplacedRange, isHistory: Bool
  ) async throws -> SubmissionResult {
    if records.isEmpty, replaced.removal == .none || replaced.times.isEmpty { return SubmissionResult() }
    let now = work.now
    do {
      return try await withCheckedThrowingContinuation { continuation in
        var submission = Submission(device: device, records: records, received: now) { continuation.resume(with: $0) }
        submission.isHistory = isHistory
        submission.replaced = replaced
        work.store.submit(submission)
      }
    } catch { throw Intake.unavailable(error) }
  }
}
