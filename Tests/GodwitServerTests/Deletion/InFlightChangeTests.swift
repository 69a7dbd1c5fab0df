import Foundation
import GodwitFiles
import GodwitGeofencing
import GodwitModel
import GodwitTracks
import Synchronization
import Testing

@testable import GodwitAccounts
@testable import GodwitDeletion
@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

@Suite("Changes of devices while their records are in flight", .timeLimit(.minutes(20)))
struct InFlightChangeTests {
  /// Adds a private zone around the first step of the walk, whose positions are not stored.
  private static func addZone(of account: Int64?, _ db: any SQLConnection) throws {
    let circle = Circle(center: try coordinate(47, 10), radius: 100)
    _ = try ZoneTable.add(
      PrivacyZone.Options(name: "home", shape: .circle(circle), action: .drop), of: account, at: walkStart, db)
  }

  @Test("the private zones of the owner apply to records that arrive after their device was merged", arguments: StoreKind.tested)
  func zoneOfMergedDevice(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let (watch, phone) = (try store.makeDevice("watch"), try store.makeDevice("phone"))
    try await store.write { db in
      guard let anna = try UserTable.add("Anna", .member, password: "kept", at: walkStart, db) else { throw StoreError.closed }
      for device in [watch, phone] { try DeviceOwners.set(anna.id, of: device.id, db) }
      try Self.addZone(of: anna.id, db)
    }
    _ = try DeletionRun(database: store).runUndoably(.test(.merge(watch.id, into: phone.id)), at: walkStart)
    let late = try await store.store([try step(0), try step(1000)], of: watch)
    #expect(late.saved == 1)
    let stored = try store.points(PointQuery(device: phone.id, limit: 9))
    #expect(stored.map(\.fix.time) == [walkStart.addingTimeInterval(1000)])
  }

  @Test("records in a private zone are acknowledged after their device was deleted", arguments: StoreKind.tested)
  func zoneOfDeletedDevice(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let device = try store.makeDevice()
    try await store.write { try Self.addZone(of: nil, $0) }
    _ = try DeletionRun(database: store).run(.test(.device(device.id)), at: walkStart)
    #expect(try await store.store([try step(0)], of: device).saved == 0)
  }

  @Test("records that arrive after their device was renamed or merged belong to the current device", arguments: StoreKind.tested)
  func currentDevice(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let (watch, phone) = (try store.makeDevice("watch"), try store.makeDevice("phone"))
    let stored = Mutex<[Submission]>([])
    store.observeCommits { results in stored.withLock { $0 += results.map(\.0) } }
    /// Submits a page of a mirror with a device that was read earlier.
    func submit(_ device: Device) async throws -> Submission? {
      _ = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<SubmissionResult, any Error>) in
        var submission = Submission(device: device, records: [], received: walkStart) { continuation.resume(with: $0) }
        submission.replaced = ReplacedRange(times: 0..<10, removal: .all)
        store.submit(submission)
      }
      return stored.withLock { $0.last }
    }
    #expect(try await submit(watch)?.device == watch)
    try await store.write { try DeviceRename.rename(watch, to: "Uhr", at: walkStart, $0) }
    let renamed = try await submit(watch)
    #expect(renamed?.device == Device(id: watch.id, name: "Uhr") && renamed?.replaced != nil)
    _ = try DeletionRun(database: store).runUndoably(.test(.merge(watch.id, into: phone.id)), at: walkStart)
    let merged = try await submit(watch)
    #expect(merged?.device == phone && merged?.replaced == nil)
  }

  @Test("a rename with a former name of the device changes the texts with its current name", arguments: StoreKind.tested)
  func formerName(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    // As read by two requests before the first one renames the device.
    let device = try store.makeDevice("first")
    try await store.write { db in
      let options = WebhookOptions(url: "http://127.0.0.1:9/", devices: ["first"])
      _ = try WebhookTables.add(options, secret: "secret", isEnabled: true, at: walkStart, db)
      try DeviceRename.rename(device, to: "second", at: walkStart, db)
    }
    // Another device gets the name that the second request has read.
    _ = try store.makeDevice("first")
    try await store.write { try DeviceRename.rename(device, to: "third", at: walkStart, $0) }
    #expect(try store.read { try WebhookTables.all($0) }.map(\.options.devices) == [["third"]])
    #expect(try store.device(named: "third")?.id == device.id && store.device(named: "second") == nil)
    _ = try DeletionRun(database: store).run(.test(.device(device.id)), at: walkStart)
    await #expect(throws: DeviceConflict.self) {
      try await store.write { try DeviceRename.rename(device, to: "fourth", at: walkStart, $0) }
    }
  }

  @Test("devices are not merged if one was moved to another user since the request was checked", arguments: StoreKind.tested)
  func movedDevice(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let (watch, phone) = (try store.makeDevice("watch"), try store.makeDevice("phone"))
    _ = try await store.store([try step(0)], of: watch)
    try await store.write { db in
      guard let anna = try UserTable.add("Anna", .member, password: "kept", at: walkStart, db) else { throw StoreError.closed }
      try DeviceOwners.set(anna.id, of: watch.id, db)
    }
    #expect(throws: DeviceConflict.self) {
      _ = try DeletionRun(database: store).runUndoably(.test(.merge(watch.id, into: phone.id)), at: walkStart)
    }
    #expect(try store.points(PointQuery(device: watch.id, limit: 9)).count == 1)
  }

  @Test("an upload whose device is merged while its file is read is stored in the other device", arguments: StoreKind.tested)
  func mergedImport(_ kind: StoreKind) throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let (van, tram) = (try store.makeDevice("van"), try store.makeDevice("tram"))
    let options = ImportOptions(device: nil, mapping: ["v1": "van"])
    let job = try store.writeAndWait {
      try ImportTables.add(
        ImportSource(path: "a.upload", name: "a.csv", size: 1), place: "uploads", account: nil, options: options, state: .running,
        at: walkStart, $0)
    }
    let file = ReadFile([try step(1, context: DeviceContext(deviceID: "v1"))]) {
      // A merge that began before the import does not wait for it.
      try store.writeAndWait { try $0.run("UPDATE imports SET state = 'done'") }
      _ = try DeletionRun(database: store).runUndoably(.test(.merge(van.id, into: tram.id)), at: walkStart)
      try store.writeAndWait { try $0.run("UPDATE imports SET state = 'running'") }
    }
    let report = try FileImport(into: store, job: job, options: options, source: file).run()
    #expect(report.saved == 1)
    #expect(try store.points(PointQuery(device: tram.id, limit: 9)).count == 1)
    #expect(try store.device(named: "van") == nil)
  }

  @Test("a restored token is revoked if the token that created it was revoked meanwhile", arguments: StoreKind.tested)
  func revokedParent(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let hashes: [[UInt8]] = [1, 2, 3].map { Array(repeating: $0, count: 32) }
    let parent = try await store.write { db -> Int64 in
      let options = ScopedTokenTable.Options(label: "program", scope: .admin)
      guard let parent = try ScopedTokenTable.add(options, hash: hashes[0], at: walkStart, db) else { throw StoreError.closed }
      try DeviceOwners.addDevice(named: "phone", of: nil, tokenHash: hashes[1], parent: parent.id, at: walkStart, db)
      try DeviceOwners.addDevice(named: "phone", of: nil, tokenHash: hashes[2], parent: nil, at: walkStart, db)
      return parent.id
    }
    let device = try #require(try store.device(named: "phone"))
    let run = DeletionRun(database: store)
    let entry = try #require(try run.runUndoably(.test(.device(device.id)), at: walkStart).entry)
    #expect(try await store.write { try ScopedTokenTable.revoke(parent, at: walkStart, $0) })
    _ = try run.run(.test(.undo(entry.id)), at: walkStart)
    #expect(try store.device(tokenHash: hashes[1]) == nil)
    #expect(try store.device(tokenHash: hashes[2]) == device)
  }

  @Test("deleted points are not restored into a device that was moved to another user", arguments: StoreKind.tested)
  func movedTrash(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let phone = try store.makeDevice("phone")
    _ = try await store.store([try step(0)], of: phone)
    let run = DeletionRun(database: store)
    let entry = try #require(try run.runUndoably(.test(.points(PointSelection(device: phone.id))), at: walkStart).entry)
    let anna = try #require(try await store.write { try UserTable.add("Anna", .member, password: "kept", at: walkStart, $0) })
    try await store.write { try DeviceOwners.set(anna.id, of: phone.id, $0) }
    #expect(throws: TrashConflict.self) { _ = try run.run(.test(.undo(entry.id)), at: walkStart) }
    #expect(try store.points(PointQuery(device: phone.id, limit: 9)).isEmpty)
    try await store.write { try DeviceOwners.set(nil, of: phone.id, $0) }
    _ = try run.run(.test(.undo(entry.id)), at: walkStart)
    #expect(try store.points(PointQuery(device: phone.id, limit: 9)).count == 1)
  }

  /// Adds two devices of a user with a point in a private zone.
  private static func fill(_ store: any StoreDatabase) async throws -> (
    anna: Int64, first: Device, second: Device, zone: Int64
  ) {
    let (first, second) = (try store.makeDevice("first"), try store.makeDevice("second"))
    let anna = try await store.write { db -> Int64 in
      guard let anna = try UserTable.add("Anna", .member, password: "kept", at: walkStart, db) else { throw StoreError.closed }
      for device in [first, second] { try DeviceOwners.set(anna.id, of: device.id, db) }
      return anna.id
    }
    for device in [first, second] { _ = try await store.store([try step(0), try step(1000)], of: device) }
    let zone = try await store.write { db -> Int64? in
      try Self.addZone(of: anna, db)
      return try ZoneTable.all(db).first?.id
    }
    return (anna, first, second, try #require(zone))
  }

  @Test("a device that is moved to another user while the former user is deleted stays", arguments: StoreKind.tested)
  func movedFromDeletedUser(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let (anna, _, second, _) = try await Self.fill(store)
    var run = DeletionRun(database: store)
    run.stepped = { try store.writeAndWait { try DeviceOwners.set(nil, of: second.id, $0) } }
    _ = try run.run(.test(.user(anna)), at: walkStart)
    #expect(try store.devices().map(\.device) == [second])
    #expect(try store.points(PointQuery(device: second.id, limit: 9)).count == 2)
  }

  @Test(
    "a zone is not applied to further devices after its removal, nor to devices of another user", arguments: StoreKind.tested,
    [true, false])
  func changedZone(_ kind: StoreKind, _ isRemoved: Bool) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let (_, first, second, zone) = try await Self.fill(store)
    var run = DeletionRun(database: store)
    run.stepped = {
      try store.writeAndWait { db in
        if isRemoved { try ZoneTable.remove(zone, db) } else { try DeviceOwners.set(nil, of: second.id, db) }
      }
    }
    _ = try run.run(.test(.zone(zone)), at: walkStart)
    #expect(try store.points(PointQuery(device: first.id, limit: 9)).count == 1)
    #expect(try store.points(PointQuery(device: second.id, limit: 9)).count == 2)
  }

  @Test("an export of all data leaves out a device that is moved to another user after it began", arguments: StoreKind.tested)
  func movedFromExport(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let (anna, _, second, _) = try await Self.fill(store)
    var export = try AccountExport(of: anna, in: store, at: walkStart)
    var names: Set<String> = []
    while let bytes = try export.next() {
      let text = String(decoding: bytes, as: UTF8.self)
      for name in ["first", "second"] where text.contains("devices/\(name).geojson") { names.insert(name) }
      if names == ["first"] { try store.writeAndWait { try DeviceOwners.set(nil, of: second.id, $0) } }
    }
    #expect(names == ["first"])
  }
}

/// A file whose records are read after an action.
private final class ReadFile: RecordSource {
  private var pages: [[Record]]
  private let action: () throws -> Void
  var onSkip: ((TrackSkip) -> Void)?
  let format: RecordFormat? = nil
  let position = 0
  let records = 0
  let withoutTime = 0
  let unused = UnusedParts()
  let checkpoint: Checkpoint? = nil

  init(_ records: [Record], after action: @escaping () throws -> Void) { (pages, self.action) = ([records], action) }

  func next() throws -> [Record]? {
    guard let page = pages.popLast() else { return nil }
    try action()
    return page
  }
}
