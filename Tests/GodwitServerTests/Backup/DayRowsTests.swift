import GodwitStore
import Testing

@testable import GodwitTransfer

@Suite("Selection of the rows of a damaged day")
struct DayRowsTests {
  /// The hashes of rows by key. A hash depends on the time and the content.
  private static func rows(_ rows: [Int64: Int64]) -> [PointKey: Int64] {
    var hashes: [PointKey: Int64] = [:]
    for (time, content) in rows {
      let key = PointKey(time: time, latitude: 1, longitude: 2)
      hashes[key] = (time &* 0x1E37_79B9_7F4A_7C15 &+ content) &* 0x2545_F491_4F6C_DD1D
    }
    return hashes
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Contents by time: the original rows, the rows in the store, and the rows in the backup.
    let truth: [Int64: Int64]
    let stored: [Int64: Int64]
    let copy: [Int64: Int64]
  }

  static let cases = [
    Case(testDescription: "an altered row", truth: [1: 1, 2: 2, 3: 3], stored: [1: 1, 2: 9, 3: 3], copy: [1: 1, 2: 2, 3: 3]),
    Case(
      testDescription: "an altered row, a new one and a deleted one", truth: [1: 1, 2: 2, 4: 4], stored: [1: 1, 2: 9, 4: 4],
      copy: [1: 1, 2: 2, 3: 3]),
    Case(
      testDescription: "all rows are altered", truth: [1: 1, 2: 2, 3: 3, 4: 4], stored: [1: 9, 2: 9, 3: 9, 4: 4],
      copy: [1: 1, 2: 2, 3: 3]),
    Case(testDescription: "lost rows", truth: [1: 1, 2: 2, 3: 3, 4: 4], stored: [4: 4], copy: [1: 1, 2: 2, 3: 3]),
    Case(
      testDescription: "a lost row, and a deleted one", truth: [1: 1, 2: 2, 4: 4], stored: [1: 1, 4: 4],
      copy: [1: 1, 2: 2, 3: 3, 5: 5]),
    Case(testDescription: "an altered key", truth: [1: 1, 2: 2, 4: 4], stored: [1: 1, 66: 2, 4: 4], copy: [1: 1, 2: 2]),
    Case(
      testDescription: "an altered key, and deleted rows", truth: [1: 1, 2: 2, 4: 4], stored: [1: 1, 66: 2, 4: 4],
      copy: [1: 1, 2: 2, 3: 3, 5: 5]),
    Case(testDescription: "a row of another day", truth: [1: 1], stored: [1: 1, 66: 2], copy: [:]),
    Case(
      testDescription: "a row that changed since the backup", truth: [1: 5, 2: 2], stored: [1: 5, 2: 9], copy: [1: 1, 2: 2]),
  ]

  @Test("rows with the hash of the day are found", arguments: cases)
  func found(_ one: Case) {
    let rows = DayRows(stored: Self.rows(one.stored), copy: Self.rows(one.copy))
    let truth = Self.rows(one.truth)
    let chosen = rows.chosen(count: Int64(truth.count), hash: truth.values.reduce(0, ^))
    let hashes = chosen.map {
      Dictionary(uniqueKeysWithValues: $0.map { ($0.key, ($0.value == .store ? rows.stored : rows.copy)[$0.key]) })
    }
    #expect(hashes == truth.mapValues { $0 })
  }

  @Test("rows that are missing on both sides are not invented")
  func notFound() {
    let rows = DayRows(stored: Self.rows([1: 1, 2: 9]), copy: Self.rows([1: 1, 3: 3]))
    #expect(rows.chosen(count: 2, hash: Self.rows([1: 1, 2: 2]).values.reduce(0, ^)) == nil)
    #expect(rows.chosen(count: 3, hash: Self.rows([1: 1, 2: 9]).values.reduce(0, ^)) == nil)
  }
}
