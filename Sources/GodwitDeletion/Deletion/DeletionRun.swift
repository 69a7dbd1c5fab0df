package import Foundation
internal import GodwitAccounts
package import GodwitHistory
internal import GodwitModel
internal import GodwitServices
package import GodwitStore
package import GodwitTransfer
internal import Synchronization

/// Deletes what a request names, a few thousand rows a transaction, so that uploads go on meanwhile. What is under way stands in the
/// database: after a crash the next start of a server completes it. Blocks the thread.
package struct DeletionRun: Sendable {
  package let database: any StoreDatabase
  /// Stops an import whose rows say that it is cancelled, and removes its file.
  package var stopImport: @Sendable (ImportJob) -> Void = { _ in }
  /// Those that this program is at.
  package var active = ActiveDeletions()
  /// Called after each transaction that deleted points, outside of any.
  package var stepped: @Sendable () throws -> Void = {}

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
      }
    }
  }

  // MARK: Doing

  /// Deletes, and returns when nothing is left of it.
  /// - Returns: how much that was.
  package func run(_ request: DeletionRequest, at now: Date) throws -> DeletionCounts {
    let (id, stopped) = try database.writeAndWait { db in
      let stopped = try Self.prepare(request.target, at: now, db)
      return (try DeletionTables.add(request, at: now, db), stopped)
    }
    for job in stopped { stopImport(job) }
    return try complete(DeletionTables.Entry(id: id, request: request, counts: DeletionCounts()))
  }

  /// Completes what a program began that ended before it was done.
  package func resume() throws {
    for entry in try database.read(DeletionTables.all) { _ = try complete(entry, isResumed: true) }
  }

  /// The time for which it is tried to empty the database's log, which a reader may hold.
  private static let clearing = Duration.seconds(5)

  private func complete(_ entry: DeletionTables.Entry, isResumed: Bool = false) throws -> DeletionCounts {
    guard active.begin(entry.id) else { return entry.counts }
    defer { active.end(entry.id) }
    if let request = entry.request {
      var contexts: Set<Int64>? = isResumed ? nil : []
      switch request.target {
      case .device(let device): try deleteDevice(device, entry.id, &contexts)
      case .points(let selection):
        try deletePoints(selection, entry.id, keepsNumbers: true, &contexts)
        try deleteEvents(selection, entry.id)
      case .importJob(let id): try deleteImport(id, entry.id, &contexts)
      case .user(let account): try deleteUser(account, entry.id, &contexts)
      case .zone(let id): try applyZone(id, entry.id, &contexts)
      }
      try DeletionRemains(database: database).clear(contexts)
      let now = database.clock.now
      try database.writeAndWait { db in
        let counts = try DeletionTables.counts(of: entry.id, db) ?? entry.counts
        let audit = request.audit
        let line = AuditEntry(
          account: audit.account, actor: audit.actor, action: audit.action, subject: "\(audit.subject): \(counts.text)",
          address: audit.address)
        // Another server may have completed it as well.
        if try DeletionTables.finish(entry.id, db) { try AuditTable.add(line, at: now, db) }
        try FilterVersion.increment(db)
      }
    }
    let counts = try database.read { try DeletionTables.counts(of: entry.id, $0) } ?? entry.counts
    // Real time: readers of this and other programs hold the log.
    let end = ContinuousClock.now + Self.clearing
    var isRewritten = false
    while .now < end {
      if !isRewritten { isRewritten = try database.removeCopies() }
      if try isRewritten && database.clearDeleted() {
        try database.writeAndWait { try DeletionTables.remove(entry.id, $0) }
        break
      }
      // waits for readers: nothing says when the last of them is done.
      Thread.sleep(forTimeInterval: 0.05)
    }
    return counts
  }

  /// What must not go on while the rest is deleted.
  /// - Returns: imports that are to be stopped.
  private static func prepare(
    _ target: DeletionRequest.Target, at now: Date, _ db: any SQLConnection
  ) throws -> [ImportJob] {
    switch target {
    case .device(let device): return try DeviceDeletion.prepare(device, at: now, db)
    case .importJob(let id):
      guard let job = try ImportTables.job(id, db), try ImportTables.set(id, .cancelled, at: now, db) else {
        return []
      }
      return [job]
    case .user(let account): return try UserDeletion.prepare(account, at: now, db)
    case .points, .zone: return []
    }
  }

  // MARK: Pieces

  private func deletePoints(
    _ selection: PointSelection, _ id: Int64, keepsNumbers: Bool, _ contexts: inout Set<Int64>?
  ) throws {
    let points = DeletionPoints(selection)
    var after: PointKey?
    repeat {
      let page = try database.read { [after] in try points.page(after: after, $0) }
      contexts?.formUnion(page.points.compactMap(\.context))
      if !page.points.isEmpty {
        try database.writeAndWait { db in
          var counts = DeletionCounts()
          counts.points = try points.delete(page.points, keepsNumbers: keepsNumbers, db)
          try DeletionTables.record(counts, of: id, db)
          // Servers withhold records that come once more from the next transaction on.
          if keepsNumbers { try FilterVersion.increment(db) }
        }
        try stepped()
      }
      after = page.next
    } while after != nil
  }

  private func deleteEvents(_ selection: PointSelection, _ id: Int64, recomputes: Bool = true) throws {
    let events = try database.read { try DeletionEvents(selection, $0) }
    try apply(events, selection, id, keepsNumbers: selection.importID == nil)
    if recomputes { try RecomputeWorker(database: database).processBacklog(ofDevice: selection.device) }
  }

  private func apply(_ events: DeletionEvents, _ selection: PointSelection?, _ id: Int64, keepsNumbers: Bool) throws {
    var rest = events.changes[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(DeletionEvents.step))
      rest = rest.dropFirst(part.count)
      try database.writeAndWait { db in
        try events.apply(part, keepsNumbers: keepsNumbers, db)
        var counts = DeletionCounts()
        counts.events = part.count
        try DeletionTables.record(counts, of: id, db)
      }
    }
    try database.writeAndWait { db in
      try events.applyRest(selection, db)
      var counts = events.counts
      counts.events -= events.changes.count
      try DeletionTables.record(counts, of: id, db)
      try FilterVersion.increment(db)
    }
  }

  private func deleteDevice(_ device: Int64, _ id: Int64, _ contexts: inout Set<Int64>?) throws {
    try deletePoints(PointSelection(device: device), id, keepsNumbers: false, &contexts)
    let now = database.clock.now
    try database.writeAndWait { db in
      let counts = try DeviceDeletion.finish(device, at: now, db)
      try DeletionTables.record(counts, of: id, db)
      try FilterVersion.increment(db)
    }
  }

  private func deleteImport(_ job: Int64, _ id: Int64, _ contexts: inout Set<Int64>?) throws {
    for selection in try database.read({ try Self.selections(ofImport: job, $0) }) {
      // The file may be imported again.
      try deletePoints(selection, id, keepsNumbers: false, &contexts)
      try deleteEvents(selection, id)
    }
    try database.writeAndWait { db in
      var counts = DeletionCounts()
      counts.imports = try db.run("DELETE FROM imports WHERE id = ?", job)
      try DeletionTables.record(counts, of: id, db)
    }
  }

  private func deleteUser(_ account: Int64, _ id: Int64, _ contexts: inout Set<Int64>?) throws {
    for device in try database.read({ try Self.devices(of: account, $0) }) { try deleteDevice(device, id, &contexts) }
    try database.writeAndWait { db in
      let counts = try UserDeletion.finish(account, db)
      try DeletionTables.record(counts, of: id, db)
      try FilterVersion.increment(db)
    }
  }

  private func applyZone(_ zoneID: Int64, _ id: Int64, _ contexts: inout Set<Int64>?) throws {
    let found = try database.read { db in
      try ZoneTable.all(db).first { $0.id == zoneID }.map { ($0, try Self.devices(of: $0.account, db)) }
    }
    guard let (zone, devices) = found else { return }
    let prepared = PreparedZone(zone.options)
    for device in devices {
      let selection = PointSelection(device: device, area: .shape(zone.options.shape))
      if zone.options.action == .drop {
        try deletePoints(selection, id, keepsNumbers: true, &contexts)
      } else {
        try blur(DeletionPoints(selection), prepared, id, &contexts)
      }
      let events = try database.read { try DeletionEvents(device: device, zone: zone, $0) }
      try apply(events, nil, id, keepsNumbers: true)
      try RecomputeWorker(database: database).processBacklog(ofDevice: device)
    }
  }

  private func blur(_ points: DeletionPoints, _ zone: PreparedZone, _ id: Int64, _ contexts: inout Set<Int64>?) throws {
    var after: PointKey?
    repeat {
      let page = try database.read { [after] in try points.page(after: after, $0) }
      contexts?.formUnion(page.points.compactMap(\.context))
      if !page.points.isEmpty {
        try database.writeAndWait { db in
          var counts = DeletionCounts()
          counts.blurredPoints = try points.blur(page.points, by: zone, db)
          try DeletionTables.record(counts, of: id, db)
        }
      }
      after = page.next
    } while after != nil
  }

  /// Devices of an account; `nil`: the administrator's.
  package static func devices(of account: Int64?, _ db: any SQLConnection) throws -> [Int64] {
    guard let account else {
      return try db.all("SELECT id FROM devices WHERE owner IS NULL ORDER BY id") { try $0.integer("id") }
    }
    return try db.all("SELECT id FROM devices WHERE owner = ? ORDER BY id", account) { try $0.integer("id") }
  }

  /// What an import brought, by device.
  private static func selections(ofImport id: Int64, _ db: any SQLConnection) throws -> [PointSelection] {
    guard let job = try ImportTables.job(id, db) else { return [] }
    return try job.options.devices.sorted().compactMap { name in
      try TrackTables.device(named: name, db).map { PointSelection(device: $0.id, importID: id) }
    }
  }
}

/// Deletions that a program is at, so that it does not complete one while it is on its way.
package final class ActiveDeletions: Sendable {
  private let ids = Mutex<Set<Int64>>([])

  /// - Returns: whether it was not on its way.
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
        let timeline = try database.read { try Timeline.change(of: entries.map(\.day), ofDevice: device, $0) }
        let done = entries.filter { timeline.done.contains($0.day) }
        try database.writeAndWait { try timeline.apply($0) }
        let lines = try database.read { try Overview.change(of: done.map(\.day), ofDevice: device, $0) }
        try database.writeAndWait { db in
          try lines.apply(db)
          for entry in done { try DirtyDays.restore(entry, db) }
        }
      } catch is DirtyDays.TakenBack {
        // The server's own loop was faster with these.
      }
    }
  }
}
