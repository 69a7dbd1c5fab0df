import Foundation
import GodwitModel
import Testing

@testable import GodwitDeletion
@testable import GodwitHistory
@testable import GodwitServer
@testable import GodwitStore

/// The start of the times in these tests, in whole seconds.
private let start = Date(timeIntervalSince1970: 1_790_000_000)

/// A device at 46° N 14.5° E, whose positions at seconds 10 and 20 are 78 km to the east.
struct PointChangeScene {
  /// A change of stored points other than an upload, and its reversal.
  enum Change: String, CaseIterable, Sendable { case flags, deletion, merge }

  let store: any StoreDatabase
  let device: Device
  private let change: Change
  /// The device that is merged.
  private let other: Device
  private var entry: Int64?

  init(_ store: any StoreDatabase, _ change: Change) async throws {
    (self.store, self.change) = (store, change)
    (device, other) = (try store.makeDevice("phone"), try store.makeDevice("other"))
    _ = try await add(0)
    let far = change == .merge ? other : device
    _ = try await add(10, east: 78_000, to: far)
    _ = try await add(20, east: 78_010, to: far)
  }

  private func record(_ second: Double, east meters: Double) throws -> Record {
    let position = GreatCircle.destination(from: try coordinate(46, 14.5), course: 90, distance: meters)
    return Record(kind: .fix(Fix(time: start.addingTimeInterval(second), coordinate: position, horizontalAccuracy: 5)))
  }

  /// Stores a point when it is measured.
  func add(
    _ second: Double, east meters: Double = 0, to target: Device? = nil, delay: Double = 1
  ) async throws -> SubmissionResult {
    let records = [try record(second, east: meters)]
    return try await store.store(records, of: target ?? device, at: start.addingTimeInterval(second + delay))
  }

  /// The second of the live position.
  func last() throws -> Double? { try store.newest(device: device.id)?.fix.time.timeIntervalSince(start) }

  func flag(_ isFlagged: Bool, _ second: Double, east meters: Double) async throws {
    let (number, key) = (device.id, try #require(PointKey(try record(second, east: meters))))
    let isFound = try await store.write { try OutlierTable.set(isFlagged, key, ofDevice: number, at: start, $0) }
    #expect(isFound)
  }

  /// Removes the positions at seconds 10 and 20.
  mutating func remove() async throws {
    switch change {
    case .flags:
      try await flag(true, 10, east: 78_000)
      try await flag(true, 20, east: 78_010)
    case .deletion:
      let from = start.addingTimeInterval(8).millisecondsSince1970
      let request = DeletionRequest.test(.points(PointSelection(device: device.id, from: from, to: from + 20_000)))
      entry = try DeletionRun(database: store).runUndoably(request, at: start).entry?.id
    case .merge: break
    }
  }

  /// Returns the positions at seconds 10 and 20.
  func restore() async throws {
    switch change {
    case .flags:
      try await flag(false, 10, east: 78_000)
      try await flag(false, 20, east: 78_010)
    case .deletion:
      let number = try #require(entry)
      _ = try DeletionRun(database: store).run(.test(.undo(number)), at: start)
    case .merge: _ = try DeletionRun(database: store).run(.test(.merge(other.id, into: device.id)), at: start)
    }
  }
}

@Suite("Live positions after changes of stored points", .timeLimit(.minutes(20)))
struct LivePositionChangeTests {
  @Test(
    "after points are flagged or deleted, the next point is compared with the newest of the others", arguments: StoreKind.tested,
    [PointChangeScene.Change.flags, .deletion])
  func removed(_ kind: StoreKind, _ change: PointChangeScene.Change) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    var scene = try await PointChangeScene(place.store, change)
    #expect(try scene.last() == 20)
    try await scene.remove()
    #expect(try scene.last() == 0)
    #expect(try await scene.add(30).withheld.isEmpty)
    #expect(try scene.last() == 30)
  }

  @Test(
    "after points are unflagged, restored or merged, the next point is compared with them", arguments: StoreKind.tested,
    PointChangeScene.Change.allCases)
  func restored(_ kind: StoreKind, _ change: PointChangeScene.Change) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    var scene = try await PointChangeScene(place.store, change)
    try await scene.remove()
    #expect(try await scene.add(5).withheld.isEmpty)
    #expect(try scene.last() == 5)
    try await scene.restore()
    #expect(try scene.last() == 20)
    #expect(try await scene.add(30, east: 78_020).withheld.isEmpty)
    #expect(try scene.last() == 30)
  }

  @Test("after a flag, a point of a clock that was ahead does not keep later points from being live", arguments: StoreKind.tested)
  func clock(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let scene = try await PointChangeScene(place.store, .merge)
    _ = try await scene.add(40_000, delay: -39_998)
    #expect(try scene.last() == 40_000)
    _ = try await scene.add(10)
    #expect(try scene.last() == 10)
    try await scene.flag(true, 10, east: 0)
    _ = try await scene.add(20)
    #expect(try scene.last() == 20)
  }
}
