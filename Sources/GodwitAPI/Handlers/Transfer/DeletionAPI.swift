internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitDeletion
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText
internal import GodwitTransfer

/// Deletes what a request names. With `dry_run=true` the answer has the counts, and nothing is deleted.
struct DeletionAPI: Sendable {
  let work: RequestWork
  let tokens: TokenCache
  let deletion: DeletionRun
  let announceDeletion: @Sendable () -> Void

  /// `DELETE /api/v1/devices/NAME`
  func device(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let (reader, name) = (request.reader, request.parameter)
    return try delete(request, []) { .device(try reader.device(named: name, in: work.store, wholly: true).id) }
  }

  /// `DELETE /api/v1/devices/NAME/points`
  func points(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let (reader, name) = (request.reader, request.parameter)
    var selection = PointSelection(device: 0)
    let (from, to) = try request.query.dates()
    selection.area = try Self.area(request)
    guard from != nil || to != nil || selection.area != nil else {
      throw Problem(
        400, "Bad argument",
        "Say which points: from and to, bbox, or lat, lon and radius. DELETE /api/v1/devices/NAME deletes all of a device.")
    }
    if let from { selection.from = from.millisecondsSince1970 }
    if let to { selection.to = to.millisecondsSince1970 }
    guard selection.from < selection.to else { throw Problem(400, "Bad argument", "to: expected a time after from.") }
    return try delete(request, ["from", "to", "bbox", "lat", "lon", "radius"]) { [selection] in
      var selection = selection
      selection.device = try reader.device(named: name, in: work.store, wholly: true).id
      return .points(selection)
    }
  }

  /// `DELETE /api/v1/imports/ID`
  func importJob(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let (reader, label) = (request.reader, request.parameter)
    return try delete(request, []) {
      let job = try work.store.read { try ImportAPI.job(label, reader, $0) }
      try Self.check(job, reader, work.store)
      return .importJob(job.id)
    }
  }

  /// `DELETE /api/v1/users/NAME`
  func user(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    enum Data: String, CaseIterable { case delete, keep }
    let (reader, name) = (request.reader, request.parameter)
    guard let data = Data(rawValue: request.query["data"] ?? "") else {
      throw Problem(
        400, "Bad argument",
        "data: say data=delete to delete all devices and data of the user, or data=keep to leave the devices to the administrator."
      )
    }
    return try delete(request, ["data"], keeps: data == .keep) {
      .user(
        try work.store.read { connection in
          guard let user = try reader.account(named: name, connection) else { throw User.unknown(name) }
          if try UserTable.all(connection).count > 1 { try user.checkOtherAdministrators(connection) }
          return user.id
        })
    }
  }

  /// `POST /api/v1/zones/ID/apply`
  func zone(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let (reader, name) = (request.reader, request.parameter)
    return try delete(request, []) {
      let zones = try work.store.read { try ZoneTable.all($0) }
      guard let id = PrivacyZone.number(of: name), zones.contains(where: { $0.id == id && $0.account == reader.user?.id }) else {
        throw Problem(404, "Unknown zone", "There is no zone \(name.jsonQuoted). /api/v1/zones lists the existing ones.")
      }
      return .zone(id)
    }
  }

  // MARK: Pieces

  /// Deletes or counts on another queue than the receiving threads.
  /// - Parameters:
  ///   - arguments: that the route accepts beside `dry_run`. Any other is refused, because it may be a misspelt limit.
  ///   - keeps: whether a user's devices are kept and left without a user.
  ///   - find: returns what is deleted, if the requester may delete it.
  private func delete(
    _ request: HTTPRequest, _ arguments: Set<String>, keeps: Bool = false,
    _ find: @escaping @Sendable () throws -> DeletionRequest.Target
  ) throws(Problem) -> HTTPReply {
    let isDry = try request.query.flag("dry_run")
    // A URL may contain a token.
    let known = arguments.union(["dry_run", "token", "api_key"])
    if let other = request.queryItems.first(where: { !known.contains($0.name) })?.name {
      throw Problem(
        400, "Bad argument", "\(other): unknown. Expected \((arguments.union(["dry_run"])).sorted().joined(separator: ", ")).")
    }
    let audit = DeletionRequest.Audit(
      account: request.reader.user?.id, actor: request.reader.actor,
      action: "\(request.method) \(request.route?.path ?? request.path)", subject: request.parameter,
      address: request.clientAddress)
    return work.later(request) {
      let target = try find()
      let counts: DeletionCounts
      switch (isDry, keeps, target) {
      case (false, true, .user(let account)): counts = try remove(account, audit)
      case (true, true, .user):
        counts = DeletionCounts(users: 1)
      case (true, _, _): counts = try deletion.dry(target)
      case (false, _, _):
        counts = try deletion.run(DeletionRequest(target: target, audit: audit), at: Date())
        announceDeletion()
      }
      work.changed()
      tokens.invalidate()
      return JSONText.response(
        JSONText.object {
          $0.add("dry_run", isDry)
          $0.add("counts", raw: counts.json)
        })
    }
  }

  /// Removes a user and keeps the devices without a user.
  private func remove(_ account: Int64, _ audit: DeletionRequest.Audit) throws -> DeletionCounts {
    try work.store.writeAndWait { connection in
      try AccountRemoval.remove(account, connection)
      let line = AuditEntry(
        account: audit.account, actor: audit.actor, action: audit.action, subject: "\(audit.subject): the data is kept",
        address: audit.address)
      try AuditTable.add(line, at: Date(), connection)
      return DeletionCounts(users: 1)
    }
  }

  private static func area(_ request: HTTPRequest) throws(Problem) -> DeletionArea? {
    let names = ["lat", "lon", "radius"]
    let texts = names.compactMap { request.query[$0] }
    let box = try request.query.box()
    if texts.isEmpty { return box.map { .box($0) } }
    guard box == nil else { throw Problem(400, "Bad argument", "bbox: give either bbox, or lat, lon and radius.") }
    let numbers = texts.compactMap { Double($0) }
    guard numbers.count == 3, let center = Coordinate(latitude: numbers[0], longitude: numbers[1]),
      PointSelection.radii.contains(numbers[2])
    else {
      throw Problem(
        400, "Bad argument",
        "lat, lon and radius belong together: degrees, and \(Int(PointSelection.radii.lowerBound)) to \(Int(PointSelection.radii.upperBound)) metres."
      )
    }
    return .shape(.circle(Circle(center: center, radius: numbers[2])))
  }

  /// Refuses an import that is not the requester's, or whose records cannot be separated from the others.
  private static func check(_ job: ImportJob, _ reader: Reader, _ store: any StoreDatabase) throws {
    guard job.isTraced else { throw Problem(409, "Not traced", Deletions.untraced(job)) }
    for name in job.terms.devices {
      guard let device = try store.device(named: name), !reader.seesAll(of: device.id) else { continue }
      throw Problem(
        403, "Not your device", "The import brought points of \(name.jsonQuoted), which is another user's device by now.")
    }
  }
}
