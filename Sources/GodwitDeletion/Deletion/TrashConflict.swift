internal import GodwitAccounts
internal import GodwitModel
internal import GodwitStore
internal import GodwitTransfer

/// The reason why an entry of the trash cannot be restored or emptied now.
package struct TrashConflict: Error, CustomStringConvertible {
  /// Whether the entry does not exist.
  package var isUnknown = false
  package let description: String

  static func unknown(_ id: Int64) -> TrashConflict {
    TrashConflict(isUnknown: true, description: "The trash has no entry trs_\(id): it was undone, or deleted for good.")
  }

  private static func full(_ id: Int64, _ db: any SQLConnection) throws -> TrashEntry {
    guard let entry = try TrashTables.entry(id, db) else { throw unknown(id) }
    switch entry.state {
    case .full: return entry
    case .filling:
      throw TrashConflict(description: "The deletion of \(entry.subject) is not complete yet. Try again in a moment.")
    case .returning: throw TrashConflict(description: "The undo of \(entry.subject) is under way already.")
    case .emptying: throw unknown(id)
    }
  }

  /// Marks an entry as returning, in the transaction that starts its undo.
  static func check(undoing id: Int64, _ db: any SQLConnection) throws {
    let entry = try full(id, db)
    var numbers = try TrashTables.numbers(of: id, db)
    switch entry.kind {
    case .device, .user: try checkNames(of: entry, db)
    case .points, .importJob:
      // The devices of a user that was removed belong to the administrator.
      let user = try entry.account.flatMap { try UserTable.user($0, db)?.id }
      for device in entry.detail.devices {
        if let target = try TrashTables.target(of: device, db) { numbers["devices", default: [:]][device] = target }
        let current = numbers["devices"]?[device] ?? device
        guard try TrackTables.device(id: current, db) != nil else {
          throw TrashConflict(
            description: "The device of \(entry.subject) is deleted as well. Undo the deletion of the device first.")
        }
        // An administrator may import a file into the device of another user.
        guard try entry.kind == .importJob || TrackTables.owner(of: current, db) == user else {
          throw TrashConflict(
            description: "\(entry.subject) belongs to another user now. Assign it to its former user, and undo again.")
        }
      }
    case .merge:
      try checkNames(of: entry, db)
      let target = entry.detail.devices.last ?? 0
      if try TrackTables.device(id: target, db) == nil {
        throw TrashConflict(
          description: "\(entry.detail.into ?? "The other device") was deleted or merged since. Undo that first.")
      }
    }
    try TrashTables.set(numbers, of: id, db)
    _ = try TrashTables.move(id, from: .full, to: .returning, db)
  }

  static func check(emptying id: Int64, _ db: any SQLConnection) throws {
    _ = try full(id, db)
    _ = try TrashTables.move(id, from: .full, to: .emptying, db)
  }

  /// Checks that the names are not used by other devices or users in the meantime.
  private static func checkNames(of entry: TrashEntry, _ db: any SQLConnection) throws {
    for source in try TrashTables.sources(of: entry.id, db) where ["devices", "users"].contains(source.source) {
      guard let part = try TrashTables.part(source.number, of: entry.id, db) else { continue }
      let (names, rows) = try TrashReturn.rows(of: part)
      let isUser = part.source == "users"
      guard let place = names.firstIndex(of: isUser ? "folded" : "name") else { continue }
      for case .text(let name) in rows.map({ $0[place] }) {
        let taken = try db.integer("SELECT 1 FROM \(part.source) WHERE \(isUser ? "folded" : "name") = ?", name)
        guard taken != nil else { continue }
        throw TrashConflict(
          description: "There is another \(isUser ? "user" : "device") with the name \(name) now. Rename it, and undo again.")
      }
    }
  }
}

extension NewTrashEntry {
  /// Creates the entry of a deletion; `nil`: it cannot be undone, or there is nothing to delete.
  init?(_ request: DeletionRequest, _ db: any SQLConnection) throws {
    let actor = request.audit.actor
    func ofDevice(_ kind: TrashEntry.Kind, _ device: Int64, _ detail: TrashDetail) throws -> NewTrashEntry? {
      guard let name = try TrackTables.device(id: device, db)?.name else { return nil }
      return NewTrashEntry(
        kind: kind, account: try TrackTables.owner(of: device, db), subject: name, detail: detail, actor: actor)
    }
    var entry: NewTrashEntry?
    switch request.target {
    case .device(let device): entry = try ofDevice(.device, device, TrashDetail(devices: [device]))
    case .points(let selection):
      let detail = TrashDetail(
        devices: [selection.device], from: selection.from == .min ? nil : selection.from,
        to: selection.to == .max ? nil : selection.to, hasArea: selection.area == nil ? nil : true)
      entry = try ofDevice(.points, selection.device, detail)
    case .importJob(let id):
      let devices = try DeletionRun.selections(ofImport: id, db).map(\.device)
      entry = try ImportTables.job(id, db).map {
        NewTrashEntry(
          kind: .importJob, account: $0.account, subject: $0.name, detail: TrashDetail(devices: devices), actor: actor)
      }
    case .user(let account):
      let devices = try DeletionRun.devices(of: account, db)
      entry = try UserTable.user(account, db).map {
        NewTrashEntry(kind: .user, account: account, subject: $0.name, detail: TrashDetail(devices: devices), actor: actor)
      }
    case .merge(let device, let target):
      let into = try TrackTables.device(id: target, db)?.name
      entry = try ofDevice(.merge, device, TrashDetail(devices: [device, target], into: into))
    case .zone, .undo, .empty: break
    }
    guard let entry else { return nil }
    self = entry
  }
}
