package import Foundation
internal import GodwitAccounts
internal import GodwitModel
package import GodwitStore
package import GodwitTransfer
internal import GodwitVisits

/// Executes deletions for programs with direct access to the store. A running server detects them within a second.
package struct Deletions: Sendable {
  private let store: any StoreDatabase
  private let uploads: String?

  /// - Parameters:
  ///   - store: the store.
  ///   - folder: the data folder with uploaded files; `nil`: none.
  package init(_ store: any StoreDatabase, folder: String?) {
    self.store = store
    uploads = folder.map { $0 + "/uploads" }
  }

  /// The data to delete.
  package enum Subject: Sendable {
    /// A device with all its data.
    case device(String)
    /// Points and events of a device from a time on, before a time, in an area.
    case points(device: String, from: Date?, to: Date?, area: Area?)
    /// An import with its records, by its identifier: `imp_1` or `1`.
    case importJob(String)
    /// A user with all devices and data.
    case user(String)
    /// A device that is merged into another one.
    case merge(String, into: String)
    /// A private zone that is applied to stored records, by its identifier: `zon_1` or `1`.
    case zone(String)
  }

  /// An area on the earth.
  package enum Area: Sendable {
    case box(BoundingBox)
    /// A circle: latitude and longitude in degrees, radius in metres.
    case circle(latitude: Double, longitude: Double, radius: Double)
  }

  /// The reason why data cannot be deleted.
  package struct InvalidDeletion: Error, CustomStringConvertible {
    package let description: String
  }

  /// Returns the counts of data that would be deleted. Nothing is changed.
  /// - Throws: ``InvalidDeletion``, or the database's error.
  package func dry(_ subject: Subject) throws -> DeletionCounts { try run.dry(target(subject)) }

  /// Deletes data, and returns when it is complete. Blocks the thread.
  /// - Parameters:
  ///   - subject: the data to delete.
  ///   - isPermanent: whether the deletion cannot be undone. A private zone is always applied permanently.
  ///   - now: the time.
  /// - Returns: the counts, and the entry of the trash for an undo; `nil`: it cannot be undone.
  /// - Throws: ``InvalidDeletion``, or the database's error.
  package func delete(
    _ subject: Subject, isPermanent: Bool, at now: Date
  ) throws -> (counts: DeletionCounts, entry: TrashEntry?) {
    let (action, name) = Self.describe(subject)
    let request = DeletionRequest(target: try target(subject), audit: Self.audit(action, name))
    if isPermanent { return (try run.run(request, at: now), nil) }
    return try run.runUndoably(request, at: now)
  }

  private static func audit(_ action: String, _ subject: String) -> DeletionRequest.Audit {
    DeletionRequest.Audit(account: nil, actor: "the command line", action: action, subject: subject, address: "local")
  }

  // MARK: Devices

  /// Renames a device. Blocks the thread.
  /// - Throws: ``InvalidDeletion``, ``DeviceConflict``, or the database's error.
  package func rename(_ name: String, to new: String, at now: Date) throws {
    let found = Device(id: try device(name), name: name)
    try store.writeAndWait { db in
      try DeviceRename.rename(found, to: new, at: now, db)
      let line = AuditEntry(actor: "the command line", action: "rename device", subject: "\(name) to \(new)", address: "local")
      try AuditTable.add(line, at: now, db)
    }
  }

  // MARK: The trash

  /// Returns all entries of the trash, newest first.
  ///
  /// - Throws: the database's error.
  package func trash() throws -> [TrashLine] {
    try store.read { db in
      try TrashTables.all(db).map { entry in
        TrashLine(entry, user: try entry.account.flatMap { try UserTable.user($0, db)?.name })
      }
    }
  }

  /// Restores an entry of the trash. Blocks the thread.
  /// - Parameter label: the identifier: `trs_1` or `1`.
  /// - Throws: ``InvalidDeletion``, ``TrashConflict``, or the database's error.
  package func undo(_ label: String, at now: Date) throws -> DeletionCounts {
    let entry = try trashEntry(label)
    return try run.run(DeletionRequest(target: .undo(entry.id), audit: Self.audit("undo", entry.subject)), at: now)
  }

  /// Permanently deletes entries of the trash. Blocks the thread.
  /// - Parameter label: the identifier of an entry; `nil`: all entries.
  /// - Throws: ``InvalidDeletion``, ``TrashConflict``, or the database's error.
  package func empty(_ label: String?, at now: Date) throws -> DeletionCounts {
    var counts = DeletionCounts()
    let entries: [TrashEntry]
    if let label {
      entries = [try trashEntry(label)]
    } else {
      entries = try store.read(TrashTables.all).filter { $0.state == .full }
      try store.writeAndWait(PlaceChangeTable.removeAll)
    }
    for entry in entries {
      // Emptying an entry may have removed other entries.
      let isThere = try store.read { try TrashTables.entry(entry.id, $0) } != nil
      guard isThere || label != nil else { continue }
      counts += try run.run(
        DeletionRequest(target: .empty(entry.id), audit: Self.audit("empty the trash", entry.subject)), at: now)
    }
    return counts
  }

  private func trashEntry(_ label: String) throws -> TrashEntry {
    guard let id = TrashEntry.number(of: label) ?? Int64(label), let entry = try store.read({ try TrashTables.entry(id, $0) })
    else {
      throw InvalidDeletion(description: "The trash has no entry \"\(label)\". `godwit trash list` shows all entries.")
    }
    return entry
  }

  /// An import that can be deleted.
  package struct ImportLine: Sendable {
    package let id: String
    package let name: String
    package let created: Date
    package let state: String
    package let saved: Int
  }

  /// Returns the newest imports.
  ///
  /// - Throws: the database's error.
  package func imports(limit: Int) throws -> [ImportLine] {
    try store.read { try ImportTables.newest(before: nil, limit: limit, $0) }.map {
      ImportLine(id: $0.label, name: $0.name, created: $0.created, state: $0.state.rawValue, saved: $0.report.saved)
    }
  }

  /// A private zone.
  package struct ZoneLine: Sendable {
    package let id: String
    package let name: String
    /// The name of the user; `nil`: the administrator.
    package let user: String?
    /// The action for points in it: `coarsen` or `drop`.
    package let action: String
    /// Stored points in the zone that were not coarsened.
    package let storedPointsInside: Int
  }

  /// Returns all private zones.
  ///
  /// - Throws: the database's error.
  package func zones() throws -> [ZoneLine] {
    try store.read { db in
      try ZoneTable.all(db).map { zone in
        ZoneLine(
          id: zone.name, name: zone.options.name,
          user: try zone.account.flatMap { try UserTable.user($0, db)?.name },
          action: zone.options.action.rawValue,
          storedPointsInside: try StoredPointsInside.count(zone, db))
      }
    }
  }

  package static func untraced(_ job: ImportJob) -> String {
    """
    The import \(job.label) ran before the server recorded the points of each import. Delete the points of its device by their \
    times instead.
    """
  }

  private var run: DeletionRun {
    DeletionRun(database: store) { [uploads] job in
      // A file in the folder of another server is removed by that server.
      guard let uploads, !job.place.isEmpty,
        let place = try? String(contentsOfFile: uploads + "/place", encoding: .utf8),
        place.trimmingCharacters(in: .whitespacesAndNewlines) == job.place
      else { return }
      try? FileManager.default.removeItem(atPath: uploads + "/" + job.path)
    }
  }

  private static func describe(_ subject: Subject) -> (action: String, name: String) {
    switch subject {
    case .device(let name): ("delete device", name)
    case .points(let name, _, _, _): ("delete points", name)
    case .importJob(let id): ("delete import", id)
    case .user(let name): ("delete user", name)
    case .merge(let name, let target): ("merge device", "\(name) into \(target)")
    case .zone(let id): ("apply zone", id)
    }
  }

  private func target(_ subject: Subject) throws -> DeletionRequest.Target {
    switch subject {
    case .device(let name): return .device(try device(name))
    case .points(let name, let from, let to, let area):
      var selection = PointSelection(device: try device(name))
      if let from { selection.from = from.millisecondsSince1970 }
      if let to { selection.to = to.millisecondsSince1970 }
      switch area {
      case nil: break
      case .box(let box): selection.area = .box(box)
      case .circle(let latitude, let longitude, let radius):
        guard let center = Coordinate(latitude: latitude, longitude: longitude), PointSelection.radii.contains(radius) else {
          throw InvalidDeletion(description: "\(latitude),\(longitude) with \(radius) metres is not a valid area.")
        }
        selection.area = .shape(.circle(Circle(center: center, radius: radius)))
      }
      return .points(selection)
    case .importJob(let text):
      guard let id = ImportJob.number(of: text) ?? Int64(text), let job = try store.read({ try ImportTables.job(id, $0) }) else {
        throw InvalidDeletion(description: "No import has the ID \"\(text)\". `godwit delete import` lists all imports.")
      }
      guard job.isTraced else { throw InvalidDeletion(description: Self.untraced(job)) }
      return .importJob(id)
    case .user(let name):
      return .user(
        try store.read { db in
          guard let user = try UserTable.user(named: name, db) else {
            throw InvalidDeletion(description: "No user is called \"\(name)\". `godwit user list` shows all users.")
          }
          let others = try UserTable.otherAdministrators(than: user.id, db)
          guard try user.role != .admin || others > 0 || UserTable.all(db).count == 1 else {
            throw InvalidDeletion(description: "\(name) is the only administrator. Create another one first.")
          }
          return user.id
        })
    case .merge(let name, let other):
      let (former, target) = (try device(name), try device(other))
      guard former != target else { throw InvalidDeletion(description: "\"\(name)\" cannot be merged into itself.") }
      let users = try store.read { db in try [former, target].map { try TrackTables.owner(of: $0, db) } }
      guard users[0] == users[1] else {
        throw InvalidDeletion(
          description: "\(name) and \(other) belong to different users. Give them one owner, then merge them.")
      }
      return .merge(former, into: target)
    case .zone(let text):
      let zones = try store.read { try ZoneTable.all($0) }
      guard let id = PrivacyZone.number(of: text) ?? Int64(text), zones.contains(where: { $0.id == id }) else {
        throw InvalidDeletion(description: "No private zone has the ID \"\(text)\". The page /account lists all zones.")
      }
      return .zone(id)
    }
  }

  private func device(_ name: String) throws -> Int64 {
    guard let device = try store.device(named: name) else {
      throw InvalidDeletion(description: "No device is called \"\(name)\". `godwit device list` shows all devices.")
    }
    return device.id
  }
}
