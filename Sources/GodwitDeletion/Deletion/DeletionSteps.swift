internal import Foundation
internal import GodwitAccounts
internal import GodwitHistory
internal import GodwitIntake
internal import GodwitMirror
internal import GodwitModel
internal import GodwitServices
internal import GodwitStore
internal import GodwitTransfer

/// The transactions of a deletion. Each can be repeated by a process that continues after a crash.
struct DeletionSteps: Sendable {
  let database: any StoreDatabase
  /// The number of the deletion.
  let id: Int64
  /// The entry of the trash that receives rows; `nil`: they are deleted permanently.
  let trash: Int64?
  /// The contexts of deleted points; `nil`: unknown.
  var contexts: Set<Int64>?
  /// Called after each transaction that deleted points or events of a device, outside of transactions.
  let stepped: @Sendable () throws -> Void

  mutating func perform(_ target: DeletionRequest.Target) throws {
    switch target {
    case .device(let device):
      try deleteDevice(device)
      if trash == nil { try emptyEntries { $0.detail.devices.contains(device) } }
    case .points(let selection):
      try deletePoints(selection, keepsNumbers: true)
      try deleteEvents(selection)
    case .importJob(let job): try deleteImport(job)
    case .user(let account): try deleteUser(account)
    case .zone(let zone): try applyZone(zone)
    case .merge(let former, let target): try merge(former, into: target)
    case .undo(let entry):
      try ReturnSteps(database: database, id: id, entry: entry, stepped: stepped).perform()
      return
    case .empty(let entry): try empty(entry)
    }
    try DeletionRemains(database: database, trash: trash).clear(contexts)
  }

  // MARK: Points and events

  private mutating func deletePoints(_ selection: PointSelection, keepsNumbers: Bool) throws {
    let (points, id, trash) = (DeletionPoints(selection), id, trash)
    var (after, isComplete): (PointKey?, Bool) = (nil, false)
    while !isComplete {
      let page: DeletionPoints.Page
      do { page = try database.read { [after] in try points.page(after: after, $0) } } catch let block as DamagedBlock {
        try delete(block, of: points)
        continue
      }
      contexts?.formUnion(page.points.compactMap(\.context))
      if !page.points.isEmpty {
        try database.writeAndWait { db in
          var counts = DeletionCounts()
          counts.points = try TrashBin.filled(trash, db) {
            try points.delete(page.points, keepsNumbers: keepsNumbers, to: $0, db)
          }
          try DeletionTables.record(counts, of: id, db)
          // From the next transaction on, servers reject repeated uploads of these records.
          if keepsNumbers { try FilterVersion.increment(db) }
        }
        try stepped()
      }
      after = page.next
      isComplete = after == nil
    }
  }

  /// Deletes a damaged block of points.
  /// - Throws: the block, if not all of its points are selected: it must be repaired first.
  private mutating func delete(_ block: DamagedBlock, of points: DeletionPoints) throws {
    guard points.contains(block) else { throw block }
    // The contexts of the block's points are unknown.
    contexts = nil
    let id = id
    try database.writeAndWait { db in
      var counts = DeletionCounts()
      counts.points = try points.delete(block, db)
      try DeletionTables.record(counts, of: id, db)
    }
    database.health.removed(block)
  }

  private func deleteEvents(_ selection: PointSelection) throws {
    let events = try database.read { try DeletionEvents(selection, $0) }
    try apply(events, selection, keepsNumbers: selection.importID == nil)
    try RecomputeWorker(database: database).processBacklog(ofDevice: selection.device)
  }

  private func apply(_ events: DeletionEvents, _ selection: PointSelection?, keepsNumbers: Bool) throws {
    let (id, trash) = (id, trash)
    var rest = events.changes[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(DeletionEvents.step))
      rest = rest.dropFirst(part.count)
      try database.writeAndWait { db in
        try TrashBin.filled(trash, db) { try events.apply(part, keepsNumbers: keepsNumbers, to: $0, db) }
        var counts = DeletionCounts()
        counts.events = part.count
        try DeletionTables.record(counts, of: id, db)
      }
    }
    for start in stride(from: 0, to: events.regionEvents.count, by: DeletionEvents.step) {
      let part = Array(events.regionEvents[start...].prefix(DeletionEvents.step))
      try database.writeAndWait { db in
        let counts = try TrashBin.filled(trash, db) { try events.removeRegionEvents(part, to: $0, db) }
        try DeletionTables.record(counts, of: id, db)
      }
    }
    try database.writeAndWait { db in
      try TrashBin.filled(trash, db) { try events.applyRest(selection, to: $0, db) }
      var counts = events.counts
      // The others are counted already.
      (counts.events, counts.webhookDeliveries) = (0, 0)
      try DeletionTables.record(counts, of: id, db)
      try FilterVersion.increment(db)
    }
  }

  // MARK: Devices, imports and users

  private mutating func deleteDevice(_ device: Int64) throws {
    try deletePoints(PointSelection(device: device), keepsNumbers: false)
    let (now, id, trash) = (database.clock.now, id, trash)
    var removed = 0
    repeat {
      removed = try database.writeAndWait { db in
        let counts = try TrashBin.filled(trash, db) { try DeviceDeletion.removePage(of: device, to: $0, db) }
        try DeletionTables.record(counts, of: id, db)
        return counts.events + counts.webhookDeliveries
      }
      if removed > 0 { try stepped() }
    } while removed >= DeletionEvents.step
    try database.writeAndWait { db in
      let counts = try TrashBin.filled(trash, db) { try DeviceDeletion.finish(device, at: now, to: $0, db) }
      try DeletionTables.record(counts, of: id, db)
      try FilterVersion.increment(db)
    }
  }

  private mutating func deleteImport(_ job: Int64) throws {
    for selection in try database.read({ try DeletionRun.selections(ofImport: job, $0) }) {
      // Sequence numbers are not stored, because the file may be imported again.
      try deletePoints(selection, keepsNumbers: false)
      try deleteEvents(selection)
    }
    let (id, trash) = (id, trash)
    try database.writeAndWait { db in
      var counts = DeletionCounts()
      counts.imports = try TrashBin.filled(trash, db) { try $0.remove("imports", where: "id = ?", job) }
      try DeletionTables.record(counts, of: id, db)
    }
  }

  private mutating func deleteUser(_ account: Int64) throws {
    let (id, trash) = (id, trash)
    var (devices, isComplete): (Set<Int64>, Bool) = ([], false)
    while !isComplete {
      let found = try database.read { try DeletionRun.devices(of: account, $0) }
      for device in found {
        // The device may have been moved to another user meanwhile.
        guard try database.read({ try TrackTables.owner(of: device, $0) }) == account else { continue }
        try deleteDevice(device)
        devices.insert(device)
      }
      isComplete = try database.writeAndWait { db in
        // A request that began before the deletion may have added a device.
        guard try DeletionRun.devices(of: account, db).isEmpty else { return false }
        let counts = try TrashBin.filled(trash, db) { try UserDeletion.finish(account, to: $0, db) }
        try DeletionTables.record(counts, of: id, db)
        try FilterVersion.increment(db)
        return true
      }
    }
    if trash == nil { try emptyEntries { $0.account == account || !devices.isDisjoint(with: $0.detail.devices) } }
  }

  private func merge(_ former: Int64, into target: Int64) throws {
    let (points, id, trash, now) = (DeletionPoints(PointSelection(device: former)), id, trash, database.clock.now)
    while true {
      // Moved points are no longer in the next page.
      let page = try database.read { try points.page(after: nil, $0) }
      if page.points.isEmpty { break }
      try database.writeAndWait { db in
        var counts = DeletionCounts()
        counts.points = try TrashBin.filled(trash, db) {
          try DeviceMerge(former, into: target, $0, db)?.move(page.points.map(\.key)) ?? 0
        }
        try DeletionTables.record(counts, of: id, db)
        try DeletionPoints.markDirty(page.points.map(\.key.time), device: target, removal: .none, db)
      }
      try stepped()
    }
    try database.writeAndWait { db in
      try TrashBin.filled(trash, db) { bin in
        guard let merge = try DeviceMerge(former, into: target, bin, db) else { return }
        var counts = try DeviceDeletion.counts(of: former, db)
        // Points that were stored since the last page.
        var last: [PointKey] = []
        repeat {
          last = try points.page(after: nil, db).points.map(\.key)
          _ = try merge.move(last)
          try DeletionPoints.markDirty(last.map(\.time), device: target, removal: .none, db)
        } while !last.isEmpty
        let records = try TrackTables.events(device: former, from: nil, to: nil, db)
        try merge.finish(at: now)
        try DeletionPoints.markDirty(
          records.flatMap { DirtyDays.times(of: $0.kind).map(\.millisecondsSince1970) }, device: target, removal: .none, db)
        try MirrorChanges.record(records.map { EventRow($0).time }, ofDevice: target, removal: .none, db)
        counts.mqttMessages = 0
        try DeletionTables.record(counts, of: id, db)
        try DeviceDeletion.removeMerged(former, to: bin, db)
      }
      try FilterVersion.increment(db)
    }
    try RecomputeWorker(database: database).processBacklog(ofDevice: target)
  }

  // MARK: Zones

  private mutating func applyZone(_ zoneID: Int64) throws {
    let found = try database.read { db in
      try ZoneTable.all(db).first { $0.id == zoneID }.map { ($0, try DeletionRun.devices(of: $0.account, db)) }
    }
    guard let (zone, devices) = found else { return }
    let prepared = PreparedZone(zone.options)
    for device in devices {
      // The zone may have been changed or removed meanwhile, and the device moved to another user.
      let isInForce = try database.read { db in
        try ZoneTable.all(db).contains { $0.id == zoneID && $0.options == zone.options }
          && TrackTables.owner(of: device, db) == zone.account
      }
      guard isInForce else { continue }
      let selection = PointSelection(device: device, area: .shape(zone.options.shape))
      if zone.options.action == .drop {
        try deletePoints(selection, keepsNumbers: true)
      } else {
        try blur(DeletionPoints(selection), prepared)
      }
      try database.writeAndWait { try AppTables.removePositions(of: device, $0) }
      let events = try database.read { try DeletionEvents(device: device, zone: zone, $0) }
      try apply(events, nil, keepsNumbers: true)
      try RecomputeWorker(database: database).processBacklog(ofDevice: device)
    }
  }

  private mutating func blur(_ points: DeletionPoints, _ zone: PreparedZone) throws {
    let id = id
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

  // MARK: The trash

  /// Parts of the trash in one transaction.
  private static let parts = 20

  /// Permanently deletes an entry, and other entries of the same device or user.
  private func empty(_ entry: Int64) throws {
    guard let found = try database.read({ try TrashTables.entry(entry, $0) }) else { return }
    let id = id
    try database.writeAndWait { db in
      // Recorded only once, because the entry is removed below.
      if try DeletionTables.counts(of: id, db) == DeletionCounts() {
        try DeletionTables.record(DeletionCounts(json: found.counts), of: id, db)
      }
    }
    try remove(entry)
    switch found.kind {
    case .device: try emptyEntries { !Set(found.detail.devices).isDisjoint(with: $0.detail.devices) && $0.kind != .merge }
    case .user:
      try emptyEntries { $0.account == found.account || !Set(found.detail.devices).isDisjoint(with: $0.detail.devices) }
    case .points, .importJob, .merge: break
    }
  }

  private func emptyEntries(where isWanted: (TrashEntry) -> Bool) throws {
    for entry in try database.read(TrashTables.all) where entry.state == .full && isWanted(entry) { try remove(entry.id) }
  }

  private func remove(_ entry: Int64) throws {
    var count = 0
    repeat {
      count = try database.writeAndWait { try TrashTables.removeParts(of: entry, limit: Self.parts, $0) }
      try stepped()
    } while count > 0
    try database.writeAndWait { try TrashTables.remove(entry, $0) }
  }
}
