internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText
internal import GodwitTransfer

/// `/api/v1/imports`
struct ImportAPI: Sendable {
  let work: RequestWork
  let imports: ImportQueue
  /// Maximum size of a file in bytes.
  let maximumUpload: Int

  /// Authorizes an upload before its body arrives, and selects the file in which the body is stored.
  func check(_ request: HTTPRequest) throws(Problem) {
    let principal = request.principal
    do {
      let parameters = try UploadParameters(request.query)
      let devices = try parameters.options.devices
      try work.store.read { db in
        for name in devices { _ = try Self.device(name, principal, db) }
      }
      request.subject = parameters.name.text
    } catch { throw RequestWork.problem(error) }
    request.file = try imports.newFile(limit: maximumUpload)
  }

  /// `POST /api/v1/imports`
  func add(_ request: OperationRequest<UploadParameters, UploadBody>) async throws -> QueuedImport {
    let (options, principal, now, http) = (try request.parameters.options, request.principal, work.now, request.http)
    let path = "\(UUID().uuidString).upload"
    let stored = imports.folder + "/" + path
    // Writing a large file to the disk is slow.
    try await work.run { try http.file?.persist(as: stored) }
    let source = ImportSource(path: path, name: request.parameters.name.text, size: request.body.size)
    do {
      let job = try await work.write { [imports] db in
        for name in options.devices where try Self.device(name, principal, db) == nil {
          try TrackTables.addDevice(named: name, owner: principal.user?.id, at: now, db)
        }
        return try ImportTables.add(
          source, place: imports.place, account: principal.user?.id, options: options, state: .waiting, at: now, db)
      }
      imports.wake()
      return QueuedImport(ImportEntry(job, nil))
    } catch {
      try? FileManager.default.removeItem(atPath: stored)
      throw error
    }
  }

  /// `GET /api/v1/imports`
  func list(_ request: ParameterRequest<ListParameters>) async throws -> ImportPage {
    let (account, limit) = (request.principal.isAdministrator ? nil : request.principal.user?.id, request.parameters.limit.count)
    let before = request.parameters.cursor?.place.number
    return try await work.read { db in
      let jobs = try ImportTables.newest(of: account, before: before, limit: limit, db)
      return ImportPage(
        imports: jobs.map { ImportEntry($0, imports.progress(of: $0.id)) },
        nextCursor: NextCursor(jobs.count == limit ? jobs.last?.label : nil))
    }
  }

  /// `GET /api/v1/imports/ID`
  func one(_ request: PlainRequest) async throws -> ImportEntry {
    let (principal, label) = (request.principal, request.parameter)
    return try await work.read { db in
      let job = try Self.job(label, principal, db)
      return ImportEntry(job, imports.progress(of: job.id))
    }
  }

  /// `POST /api/v1/imports/ID/dismiss`
  func dismiss(_ request: PlainRequest) async throws -> DismissedImport {
    let (principal, label, now) = (request.principal, request.parameter, work.now)
    let cancelled = try await work.write { db -> ImportJob? in
      let job = try Self.job(label, principal, db)
      if try ImportTables.set(job.id, .cancelled, at: now, db) { return job }
      try ImportTables.remove(job.id, db)
      return nil
    }
    guard let cancelled else { return DismissedImport(deleted: label) }
    imports.cancel(cancelled)
    return DismissedImport(cancelled: label)
  }

  // MARK: Pieces

  static func job(_ label: String, _ principal: Principal, _ db: any SQLConnection) throws -> ImportJob {
    guard let id = ImportJob.number(of: label), let job = try ImportTables.job(id, db),
      principal.isAdministrator || job.account == principal.user?.id
    else {
      throw Problem(404, "Unknown import", "No import has the ID \(label.jsonQuoted). /api/v1/imports lists all imports.")
    }
    return job
  }

  /// Returns the device with this name; `nil` if it does not exist yet.
  /// - Throws: ``Problem`` if the requester may not import into the device.
  private static func device(_ name: String, _ principal: Principal, _ db: any SQLConnection) throws -> Int64? {
    guard let known = try TrackTables.device(named: name, db) else { return nil }
    guard try principal.isAdministrator || TrackTables.owner(of: known.id, db) == principal.user?.id else {
      throw Problem(409, "Name taken", "There is a device \(name.jsonQuoted) already. Choose another name.", at: "device")
    }
    return known.id
  }
}
