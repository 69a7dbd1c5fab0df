import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitAccounts
@testable import GodwitServer
@testable import GodwitStore

// An anonymous view of a link must not read all points in its window.
@Suite("Views of share links", .timeLimit(.minutes(20)))
struct SharingBoundTests {
  @Test("a view reads a bounded number of points across the whole window, including the newest", arguments: StoreKind.tested)
  func bounded(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let device = try place.store.makeDevice()
    for part in 0..<4 {
      _ = try await place.store.store(try (part * 12_000..<(part + 1) * 12_000).map { try step($0) }, of: device)
    }
    let start = walkStart.millisecondsSince1970
    func read(_ window: Range<Int64>) throws -> [Double] {
      var seconds: [Double] = []
      try place.store.read { db in
        try SharedTrack.read(device.id, window, db) { seconds.append($0.time.timeIntervalSince(walkStart)) }
      }
      return seconds
    }
    let few = try read(start..<start + 15_000_000)
    #expect(few == (0..<15_000).map { Double($0) }, "a small number of points is read completely")
    let many = try read(start ..< .max)
    #expect(many.count > 10_000 && many.count <= SharedTrack.maximumPoints + 1)
    #expect(many.first == 0 && many.last == 47_999 && many == many.sorted())
    #expect(zip(many, many.dropFirst()).allSatisfy { $1 - $0 <= 4 }, "no part of the window is omitted")
    #expect(try read(start - 10..<start).isEmpty)
  }
}
