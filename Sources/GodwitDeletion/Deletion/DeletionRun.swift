package import Foundation
internal import GodwitAccounts
package import GodwitHistory
internal import GodwitModel
internal import GodwitServices
package import GodwitStore
package import GodwitTransfer
internal import Synchronization

/// Deletes what a request names, permanently or into the trash, and returns rows from there: a few thousand rows a transaction, so that
/// uploads go on meanwhile. What is in progress stands in the database: after a crash the next start of a server completes it. Blocks the
/// thread.
package struct DeletionRun: Sendable {
  package let database: any StoreDatabase
  /// Stops an import whose rows say that it is cancelled, and removes its file.
  package var stopImport: @Sendable (ImportJob) -> Void
  /// Those that this program is at.
  package var active: ActiveDeletions
  /// Called after each transaction that deleted points, outside of any.
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

  /// What a request would delete now; nothing is changed.
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

  /// Deletes permanently, returns rows of the trash, or merges devices; returns when it is complete.
  /// - Returns: how much that was.
  /// - Throws: ``TrashConflict``, or the database's error.
  package func run(_ request: DeletionRequest, at now: Date) throws -> DeletionCounts {
    try run(request, isUndoable: false, at: now).counts
  }

  /// Moves what a request names into the trash, from where it can be undone for a week; returns when it is complete.
  /// - Returns: how much that was, and the entry of the trash.
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

  /// Completes what a program began that ended before it was done.
  package func resume() throws {
    for entry in try database.read(DeletionTables.all) { _ = try complete(entry, isResumed: true) }
  }

  /// Deletes entries of the trash permanently that are older than a week.
  package func emptyExpired(at now: Date) throws {
    let audit = DeletionRequest.Audit(actor: "the server", action: "empty the trash", subject: "", address: "local")
    for entry in try database.read(TrashTables.all) where entry.state == .full && entry.expires <= now {
      var request = DeletionRequest(target: .empty(entry.id), audit: audit)
      request.audit.subject = entry.subject
      do { _ = try run(request, at: now) } catch is TrashConflict {
        // It was undone or emptied meanwhile.
      }
    }
  }

  /// The time for which it is tried to empty the database's log, which a reader may hold.
  private static let clearing = Duration.seconds(5)

  private func complete(_ entry: DeletionTables.Entry, isResumed: Bool = false) throws -> DeletionCounts {
    guard active.begin(entry.id) else { return entry.counts }
    defer { active.end(entry.id) }
    var needsClearing = true
    if let request = entry.request {
      // A backup that was made meanwhile has the request and not the trash.
      let trash = try request.trash.flatMap { id in try database.read { try TrashTables.entry(id, $0)?.id } }
      // What is in the trash is deleted permanently later.
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
      // Another server may have completed it as well.
      if try DeletionTables.finish(entry.id, db) { try AuditTable.add(line, at: now, db) }
      try FilterVersion.increment(db)
    }
  }

  /// Removes the rows that were deleted from the database's files.
  private func clear(_ id: Int64) throws {
    // Real time: readers of this and other programs hold the log.
    let end = ContinuousClock.now + Self.clearing
    var isRewritten = false
    while .now < end {
      if !isRewritten { isRewritten = try database.removeCopies() }
      if try isRewritten && database.clearDeleted() {
        try database.writeAndWait { try DeletionTables.remove(id, $0) }
        break
      }
      // waits for readers: nothing says when the last of them is done.
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  /// What must not go on while the rest is deleted.
  /// - Returns: imports that are to be stopped.
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
      try merge.checkImports()
      try merge.moveTokens()
    case .points, .zone: break
    }
    return []
  }

  // MARK: Rows

  /// Devices of an account; `nil`: the administrator's.
  package static func devices(of account: Int64?, _ db: any SQLConnection) throws -> [Int64] {
    guard let account else {
      return try db.all("SELECT id FROM devices WHERE owner IS NULL ORDER BY id") { try $0.integer("id") }
    }
    return try db.all("SELECT id FROM devices WHERE owner = ? ORDER BY id", account) { try $0.integer("id") }
  }

  /// What an import brought, by device.
  static func selections(ofImport id: Int64, _ db: any SQLConnection) throws -> [PointSelection] {
    guard let job = try ImportTables.job(id, db) else { return [] }
    return try job.options.devices.sorted().compactMap { name in
      try TrackTables.device(named: name, db).map { PointSelection(device: $0.id, importID: id) }
    }
  }
}

/// Deletions in progress in this process, so that it does not complete one that still runs.
package final class ActiveDeletions: Sendable {
  private let ids = Mutex<Set<Int64>>([])

  /// - Returns: whether it was not in progress.
  package func begin(_ id: Int64) -> Bool { ids.withLock { $0.insert(id).inserted } }
  package func end(_ id: Int64) { _ = ids.withLock { $0.remove(id) } }
}

extension RecomputeWorker {
  /// Computes all that is due of one device, at once. Blocks the thread.
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
        // The server's own loop was faster with these.
      }
    }
  }
}
