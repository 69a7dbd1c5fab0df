import Foundation
import GodwitModel
import GodwitServer
import Testing

@Suite("The embedded store")
struct StoreTests {
  /// Small, and the same everywhere.
  private struct Dice: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  @Test("ranges in any order, touching and overlapping, are those numbers and no others", arguments: 1...5 as ClosedRange<UInt64>)
  func ranges(_ seed: UInt64) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-store-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try SQLiteTrackStore(folder: folder.path)
    defer { store.close() }
    let device = try store.addDevice(named: "walker", tokenHash: AccessToken().hash, at: Date())
    var dice = Dice(state: seed)
    var covered: [UInt64: Set<Int64>] = [:]
    for _ in 0..<200 {
      let journal = UInt64.random(in: 1...2, using: &dice)
      let first = Int64.random(in: 1...400, using: &dice)
      let last = first + Int64.random(in: 0...12, using: &dice)
      covered[journal, default: []].formUnion(first...last)
      _ = try await withCheckedThrowingContinuation { continuation in
        store.submit(
          Submission(
            device: device, records: [], range: SequenceRange(journal: journal, numbers: first...last, since: 1),
            received: Date(), completion: { continuation.resume(with: $0) }))
      }
    }
    let journals = try store.journals(device: device.id)
    #expect(Set(journals.map(\.journal)) == Set(covered.keys))
    for journal in journals {
      let expected = try #require(covered[journal.journal])
      #expect(Set(journal.covered.flatMap { Array($0) }) == expected)
      #expect(
        journal.covered.indices.dropFirst().allSatisfy {
          journal.covered[$0].lowerBound > journal.covered[$0 - 1].upperBound + 1
        })
      let through = try #require(expected.max())
      #expect(Set(journal.missing.flatMap { Array($0) }) == Set(1...through).subtracting(expected))
      #expect(journal.missingCount == Int(through) - expected.count)
    }
  }
}
