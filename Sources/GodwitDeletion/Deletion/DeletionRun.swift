package import Foundation
internal import GodwitAccounts
package import GodwitHistory
internal import GodwitModel
internal import GodwitServices
package import GodwitStore
package import GodwitTransfer
internal import Synchronization

/// Executes deletion requests: deletes data permanently or moves it into the trash, and restores data from there. Each
/// transaction has a few thousand rows, so that uploads continue. The progress is stored in the database, so that the next
/// start of a server completes a deletion after a crash. Blocks the thread.
package struct DeletionRun: Sendable {
  package let database: any StoreDatabase
  /// Stops an import that is marked as cancelled in the database, and removes its file.
  package var stopImport: @Sendable (ImportJob) -> Void
  /// The deletions in progress in this process.
  package var active: ActiveDeletions
  /// Called after each transaction that deleted points or events of a device, outside of transactions.
  package var stepped: @Sendable () throws -> Void

  package init(
    database: any StoreDatabase, stopImport: @escaping @Sendable (ImportJob) -> Void = { _ in },
    active: ActiveDeletions = ActiveDeletions(), stepped: @escaping @Sendable () throws -> Void = {}
  ) {
    self.database = database
    self.stopImport = stopImport
    self.active = active
    self.stepped = stepped
  }

  // MARK: Asking

  /// Returns the counts of data that a request would delete now. Nothing is changed.
  package func dry(_ target: DeletionRequest.Target) throws -> DeletionCounts {
    try database.read { db in
      switch target {
      case .device(let device): return try DeviceDeletion.counts(of: device, db)
      case .points(let selection):
        var counts = try DeletionEvents(selection, db).counts
        counts.points = try DeletionPoints(selection).count(db)
        return counts
      case .importJob(let id):
        var counts = DeletionCounts()
        counts.imports = 1
        for selection in try Self.selections(ofImport: id, db) {
          counts += try DeletionEvents(selection, db).counts
          counts.points += try DeletionPoints(selection).count(db)
        }
        return counts
      case .user(let account): return try UserDeletion.counts(of: account, db)
      case .zone(let id):
        var counts = DeletionCounts()
        guard let zone = try ZoneTable.all(db).first(where: { $0.id == id }) else { return counts }
        for device in try Self.devices(of: zone.account, db) {
          counts += try DeletionEvents(device: device, zone: zone, db).counts
          let points = try StoredPointsInside.count(zone, device: device, db)
          if zone.options.action == .drop { counts.points += points } else { counts.blurredPoints += points }
        }
        return counts
      case .merge(let device, _): return try DeviceDeletion.counts(of: device, db)
      case .undo(let id), .empty(let id):
        return try TrashTables.entry(id, db).map { DeletionCounts(json: $0.counts) } ?? DeletionCounts()
      }
    }
  }

  // MARK: Doing

  /// Executes a request permanently: deletes data, restores rows of the trash, or merges devices. Returns when it is
  /// complete.
  /// - Returns: the counts.
  /// - Throws: ``TrashConflict``, or the database's error.
  package func run(_ request: DeletionRequest, at now: Date) throws -> DeletionCounts {
    try run(request, isUndoable: false, at: now).counts
  }

  /// Executes a request so that it can be undone for a week: deleted data is moved into the trash. Returns when it is
  /// complete.
  /// - Returns: the counts, and the entry of the trash.
  /// - Throws: ``TrashConflict``, or the database's error.
  package func runUndoably(_ request: DeletionRequest, at now: Date) throws -> (counts: DeletionCounts, entry: TrashEntry?) {
    let (counts, id) = try run(request, isUndoable: true, at: now)
    return (counts, try id.flatMap { id in try database.read { try TrashTables.entry(id, $0) } })
  }

  private func run(
    _ request: DeletionRequest, isUndoable: Bool, at now: Date
  ) throws -> (counts: DeletionCounts, trash: Int64?) {
    let (entry, stopped) = try database.writeAndWait { db in
      var request = request
      if isUndoable, let new = try NewTrashEntry(request, db) { request.trash = try TrashTables.add(new, at: now, db) }
      let stopped = try TrashBin.filled(request.trash, db) { try Self.prepare(request.target, at: now, to: $0, db) }
      let id = try DeletionTables.add(request, at: now, db)
      return (DeletionTables.Entry(id: id, request: request, counts: DeletionCounts()), stopped)
    }
    for job in stopped { stopImport(job) }
    return (try complete(entry), entry.request?.trash)
  }

  /// Completes deletions that a process did not complete before it ended.
  package func resume() throws {
    for entry in try database.read(DeletionTables.all) { _ = try complete(entry, isResumed: true) }
  }

  /// Permanently deletes entries of the trash that are older than a week.
  package func emptyExpired(at now: Date) throws {
    let audit = DeletionRequest.Audit(actor: "the server", action: "empty the trash", subject: "", address: "local")
    for entry in try database.read(TrashTables.all) where entry.state == .full && entry.expires <= now {
      var request = DeletionRequest(target: .empty(entry.id), audit: audit)
      request.audit.subject = entry.subject
      do { _ = try run(request, at: now) } catch is TrashConflict {
        // The entry was restored or emptied in the meantime.
      }
    }
  }

  /// The maximum time for emptying the database's write-ahead log, which readers may block.
  private static let clearing = Duration.seconds(5)

  private func complete(_ entry: DeletionTables.Entry, isResumed: Bool = false) throws -> DeletionCounts {
    guard active.begin(entry.id) else { return entry.counts }
    defer { active.end(entry.id) }
    var needsClearing = true
    if let request = entry.request {
      // A store that was restored from a backup has the request, but not the trash.
      let trash = try request.trash.flatMap { id in try database.read { try TrashTables.entry(id, $0)?.id } }
      // Data in the trash is deleted permanently later.
      needsClearing = trash == nil && request.target.deletes
      var steps = DeletionSteps(
        database: database, id: entry.id, trash: trash, contexts: isResumed ? nil : [], stepped: stepped)
      try steps.perform(request.target)
      try finish(entry, request.audit, trash)
    }
    let counts = try database.read { try DeletionTables.counts(of: entry.id, $0) } ?? entry.counts
    if needsClearing { try clear(entry.id) } else { try database.writeAndWait { try DeletionTables.remove(entry.id, $0) } }
    return counts
  }

  private func finish(_ entry: DeletionTables.Entry, _ audit: DeletionRequest.Audit, _ trash: Int64?) throws {
    let now = database.clock.now
    try database.writeAndWait { db in
      let counts = try DeletionTables.counts(of: entry.id, db) ?? entry.counts
      if let trash { try TrashTables.complete(trash, counts: counts.json, db) }
      let line = AuditEntry(
        account: audit.account, actor: audit.actor, action: audit.action, subject: "\(audit.subject): \(counts.text)",
        address: audit.address)
      // Another server may have completed the deletion as well.
      if try DeletionTables.finish(entry.id, db) { try AuditTable.add(line, at: now, db) }
      try FilterVersion.increment(db)
    }
  }

  /// Removes deleted rows from the database's files.
  private func clear(_ id: Int64) throws {
    // Real time is used, because readers of this and other programs block the log.
    let end = ContinuousClock.now + Self.clearing
    var isRewritten = false
    while .now < end {
      if !isRewritten { isRewritten = try database.removeCopies() }
      if try isRewritten && database.clearDeleted() {
        try database.writeAndWait { try DeletionTables.remove(id, $0) }
        break
      }
      // waits for readers: there is no notification when the last reader has finished.
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  /// Stops tokens, imports and uploads that must not continue during the deletion.
  /// - Returns: imports that must be stopped.
  private static func prepare(
    _ target: DeletionRequest.Target, at now: Date, to bin: TrashBin, _ db: any SQLConnection
  ) throws -> [ImportJob] {
    switch target {
    case .device(let device): return try DeviceDeletion.prepare(device, at: now, to: bin, db)
    case .importJob(let id):
      guard let job = try ImportTables.job(id, db), try ImportTables.set(id, .cancelled, at: now, db) else {
        return []
      }
      return [job]
    case .user(let account): return try UserDeletion.prepare(account, at: now, to: bin, db)
    case .undo(let id): try TrashConflict.check(undoing: id, db)
    case .empty(let id): try TrashConflict.check(emptying: id, db)
    case .merge(let former, let target):
      guard let merge = try DeviceMerge(former, into: target, bin, db) else { break }
      try merge.checkUsers()
      try merge.checkImports()
      try merge.moveTokens()
    case .points, .zone: break
    }
    return []
  }

  // MARK: Rows

  /// Returns the devices of an account; `nil`: those of the administrator.
  package static func devices(of account: Int64?, _ db: any SQLConnection) throws -> [Int64] {
    guard let account else {
      return try db.all("SELECT id FROM devices WHERE owner IS NULL ORDER BY id") { try $0.integer("id") }
    }
    return try db.all("SELECT id FROM devices WHERE owner = ? ORDER BY id", account) { try $0.integer("id") }
  }

  /// Returns selections of an import's records, one for each device.
  static func selections(ofImport id: Int64, _ db: any SQLConnection) throws -> [PointSelection] {
    guard let job = try ImportTables.job(id, db) else { return [] }
    return try job.options.devices.sorted().compactMap { name in
      try TrackTables.device(named: name, db).map { PointSelection(device: $0.id, importID: id) }
    }
  }
}

/// The deletions in progress in this process, which must not be resumed.
package final class ActiveDeletions: Sendable {
  private let ids = Mutex<Set<Int64>>([])

  /// Marks a deletion as in progress.
  ///
  /// - Returns: whether it was not in progress before.
  package func begin(_ id: Int64) -> Bool { ids.withLock { $0.insert(id).inserted } }
  package func end(_ id: Int64) { _ = ids.withLock { $0.remove(id) } }
}

extension RecomputeWorker {
  /// Recomputes all dirty days of a device immediately. Blocks the thread.
  package func processBacklog(ofDevice device: Int64) throws {
    while true {
      let entries = try database.read { try DirtyDays.oldest(ofDevice: device, limit: Self.batch, $0) }
      guard !entries.isEmpty else { return }
      do {
        let timeline = try change(of: entries.map(\.day), ofDevice: device)
        let done = entries.filter { timeline.done.contains($0.day) }
        try database.writeAndWait { try timeline.apply($0) }
        let lines = try database.read { try Overview.change(of: done.map(\.day), ofDevice: device, $0) }
        try database.writeAndWait { db in
          try lines.apply(db)
          for entry in done { try DirtyDays.restore(entry, db) }
        }
      } catch is DirtyDays.AlreadyComputed {
        // The server's recompute loop has already processed these days.
      }
    }
  }
}
