internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitStore
internal import GodwitText
internal import GodwitTracks
internal import GodwitTransfer

/// `/api/v1/imports`
struct ImportAPI: Sendable {
  let work: RequestWork
  let imports: ImportQueue
  /// Bytes of a file.
  let maximumUpload: Int

  private static let maximumName = 200

  /// Authorizes an upload before its body arrives, and chooses the file for it.
  func look(_ request: HTTPRequest) throws(Problem) {
    let terms = try Self.terms(request)
    let reader = request.reader
    do {
      try work.store.read { connection in
        for name in terms.devices { _ = try Self.device(name, reader, connection) }
      }
    } catch { throw RequestWork.problem(error) }
    request.subject = try Self.name(request)
    request.file = try imports.newFile(limit: maximumUpload)
  }

  /// `POST /api/v1/imports`
  func add(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let (terms, name) = (try Self.terms(request), try Self.name(request))
    guard let file = request.file, file.size > 0 else {
      throw Problem(400, "No file", "The file is empty. Send it as the body of the request: curl --data-binary @FILE …")
    }
    if let refusal = request.suspend() { return .now(refusal) }
    // Writing a large file to the disk is slow.
    work.reading.async { [self] in keep(request, name, terms) }
    return .later
  }

  /// Stores an uploaded file, and queues its import.
  private func keep(_ request: HTTPRequest, _ name: String, _ terms: ImportTerms) {
    let path = "\(UUID().uuidString).upload"
    let (imports, reader, now) = (imports, request.reader, Date())
    do throws(Problem) { try request.file?.keep(as: imports.folder + "/" + path) } catch {
      return request.finish(error.response)
    }
    let source = ImportSource(path: path, name: name, size: request.file?.size ?? 0)
    work.store.write { connection in
      for name in terms.devices where try Self.device(name, reader, connection) == nil {
        try connection.run(
          "INSERT INTO devices (name, created, owner) VALUES (?, ?, ?)", name, now.millisecondsSince1970, reader.user?.id)
      }
      return try ImportTables.add(
        source, place: imports.place, account: reader.user?.id, terms: terms, state: .waiting, at: now, connection)
    } completion: { result in
      work.changed()
      switch result {
      case .success(let job):
        imports.wake()
        request.finish(
          JSONText.response(Self.json(job, nil), status: 202).with("Location", "/api/v1/imports/\(job.label)"))
      case .failure(let error):
        try? FileManager.default.removeItem(atPath: imports.folder + "/" + source.path)
        request.finish(RequestWork.problem(error).response)
      }
    }
  }

  /// `GET /api/v1/imports`
  func list(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    let limit = try request.query.limit(standard: 50, largest: 500)
    let before = try request.query.cursor { ImportJob.number(of: $0) }
    return work.later(request) {
      let account = reader.user?.id
      let jobs = try work.store.read {
        try ImportTables.newest(of: reader.isAdministrator ? nil : account, before: before, limit: limit, $0)
      }
      let texts = jobs.map { Self.json($0, imports.progress(of: $0.id)) }
      return JSONText.page("imports", texts, nextCursor: jobs.count == limit ? jobs.last?.label : nil)
    }
  }

  /// `GET /api/v1/imports/ID`
  func one(_ request: HTTPRequest) -> HTTPReply {
    let (reader, label) = (request.reader, request.parameter)
    return work.later(request) {
      let job = try work.store.read { try Self.job(label, reader, $0) }
      return JSONText.response(Self.json(job, imports.progress(of: job.id)))
    }
  }

  /// `POST /api/v1/imports/ID/dismiss`
  func dismiss(_ request: HTTPRequest) -> HTTPReply {
    let (reader, label) = (request.reader, request.parameter)
    return work.change(request) { [imports = imports] connection in
      let job = try Self.job(label, reader, connection)
      if try ImportTables.set(job.id, .cancelled, at: Date(), connection) {
        imports.cancel(job)
        return JSONText.response(JSONText.object { $0.add("cancelled", label) })
      }
      try ImportTables.remove(job.id, connection)
      return JSONText.response(JSONText.object { $0.add("deleted", label) })
    }
  }

  // MARK: Pieces

  static func job(_ label: String, _ reader: Reader, _ connection: any SQLConnection) throws -> ImportJob {
    guard let id = ImportJob.number(of: label), let job = try ImportTables.job(id, connection),
      reader.isAdministrator || job.account == reader.user?.id
    else {
      throw Problem(404, "Unknown import", "No import has the ID \(label.jsonQuoted). /api/v1/imports lists all imports.")
    }
    return job
  }

  private static func name(_ request: HTTPRequest) throws(Problem) -> String {
    let name = request.query["name"] ?? "upload"
    guard (1...maximumName).contains(name.count) else {
      throw Problem(400, "Bad argument", "name: 1 to \(maximumName) characters, the name of the file.")
    }
    return name
  }

  private static func terms(_ request: HTTPRequest) throws(Problem) -> ImportTerms {
    var mapping: [String: String] = [:]
    for item in request.queryItems where item.name == "map" {
      guard let sign = item.value.lastIndex(of: "="), sign > item.value.startIndex else {
        throw Problem(400, "Bad argument", "map=\(item.value): expected NAME=DEVICE: what the file calls it, and the device.")
      }
      mapping[String(item.value[..<sign])] = String(item.value[item.value.index(after: sign)...])
    }
    let order = try request.query["date_order"].map { word throws(Problem) in
      guard let order = DateOrder(rawValue: word) else {
        throw Problem(400, "Bad argument", "date_order=\(word): expected dmy (day first) or mdy (month first).")
      }
      return order
    }
    let terms = ImportTerms(
      device: request.query.text("device"), mapping: mapping, dateOrder: order)
    guard !terms.devices.isEmpty else {
      throw Problem(400, "Bad argument", "device: missing; expected device=NAME, or map=NAME=DEVICE.")
    }
    for name in terms.devices where !Device.isValid(name: name) {
      throw Problem(
        400, "Bad argument",
        "device=\(name): 1 to 64 letters, digits, blanks and -_.@, with a letter or digit at both ends.")
    }
    return terms
  }

  /// The device with this name, if the requester may import into it; `nil`: it does not exist yet.
  private static func device(_ name: String, _ reader: Reader, _ connection: any SQLConnection) throws -> Int64? {
    let known = try connection.first("SELECT id, owner FROM devices WHERE name = ?", name) {
      (id: $0.integer(0), owner: $0.optionalInteger(1))
    }
    guard let known else { return nil }
    guard reader.isAdministrator || known.owner == reader.user?.id else {
      throw Problem(409, "Name taken", "There is a device \(name.jsonQuoted) already. Choose another name.", at: "device")
    }
    return known.id
  }

  static func json(_ job: ImportJob, _ progress: ImportProgress?) -> String {
    let tally = progress?.tally ?? job.tally
    return JSONText.object {
      $0.add("id", job.label)
      $0.add("name", job.name)
      $0.add("size", job.size)
      $0.add("state", job.state.rawValue)
      $0.add("position", progress?.position ?? job.position)
      $0.add("device", job.terms.device)
      $0.add("date_order", job.terms.dateOrder?.rawValue)
      $0.add("mapping", raw: object(job.terms.mapping.mapValues(\.jsonQuoted)))
      $0.add("format", tally.format)
      $0.add("records", tally.records)
      $0.add("saved", tally.saved)
      $0.add("duplicates", tally.duplicates)
      $0.add("without_time", tally.withoutTime)
      $0.add("waypoints", tally.unused?.waypoints ?? 0)
      $0.add("route_points", tally.unused?.routePoints ?? 0)
      $0.add("unmapped", tally.unmapped)
      $0.add("skipped", tally.skipped)
      let reasons = tally.reasons.map { reason in
        JSONText.object {
          $0.add("kind", reason.kind)
          $0.add("count", reason.count)
          let first = reason.first.map { skip in
            JSONText.object {
              $0.add("place", skip.place.description)
              $0.add("reason", skip.reason)
            }
          }
          $0.add("first", raw: "[\(first.joined(separator: ","))]")
        }
      }
      $0.add("reasons", raw: "[\(reasons.joined(separator: ","))]")
      $0.add("devices", raw: object(tally.devices.mapValues { String($0) }))
      $0.add("problem", job.problem)
      $0.add("created", job.created)
      $0.add("changed", job.changed)
    }
  }

  private static func object(_ members: [String: String]) -> String {
    "{" + members.sorted { $0.key < $1.key }.map { "\($0.key.jsonQuoted):\($0.value)" }.joined(separator: ",") + "}"
  }
}
