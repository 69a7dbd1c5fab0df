import GodwitSimulator

@testable import GodwitColumns

/// Kinds of columns with random values.
enum TestColumn: String, CaseIterable, Sendable {
  case constant, everyBit, extremes, alternating, steps, accelerating, noise, fewValues, multiples, manyDistinct, overflowing

  func values(_ count: Int, from random: inout RandomSource) -> [Int64] {
    var (value, step): (Int64, Int64) = (Int64(bitPattern: random.next()), 1)
    return (0..<count).map { row in
      switch self {
      case .constant: return value
      case .everyBit: return Int64(bitPattern: random.next())
      case .extremes: return [.min, .max, 0, -1, 1, .min + 1, .max - 1].randomElement(using: &random) ?? 0
      case .alternating: return row.isMultiple(of: 2) ? .min : .max
      case .steps:
        value &+= Int64.random(in: 0...20, using: &random) * 1_000
        return value
      case .accelerating:
        step &+= Int64.random(in: -9...9, using: &random)
        value &+= step
        return value
      case .noise: return Int64(random.normal() * 1_000)
      case .fewValues: return [473, 500, 6_500, .max].randomElement(using: &random) ?? 0
      case .multiples: return Int64.random(in: -1_000...1_000, using: &random) &* 30_480
      case .manyDistinct: return Int64(row * 7_919 % 1_009)
      case .overflowing:
        value &+= .max / 3
        return value
      }
    }
  }
}

extension ColumnTable.Integers {
  /// Creates a column in which `nil` is an absent value.
  init(_ id: UInt8, _ values: [Int64?]) {
    self.init(id: id, values: values.map { $0 ?? 0 }, present: values.contains(nil) ? values.map { $0 != nil } : nil)
  }
}

extension ColumnTable {
  /// A table with columns of random kinds, some with absent values, and texts.
  static func random(rows: Int, seed: UInt64) -> ColumnTable {
    var random = RandomSource(seed: seed)
    var table = ColumnTable(count: rows)
    for id in 0..<UInt8.random(in: 1...8, using: &random) {
      let kind = TestColumn.allCases.randomElement(using: &random) ?? .noise
      let shares: [Double] = [0, 0, 0.01, 0.5, 0.99, 1]
      let share = shares.randomElement(using: &random) ?? 0
      let values: [Int64?] = kind.values(rows, from: &random).map { random.happens(share) ? nil : $0 }
      table.integers.append(Integers(id, values))
    }
    let texts: [String?] = [nil, "", "a", "{\"steps\":12}", "é", "e\u{301}", "\u{0}", "🏔️", String(repeating: "long ", count: 50)]
    for id in 0..<UInt8.random(in: 0...2, using: &random) {
      table.texts.append(
        Texts(
          id: 200 + id,
          values: (0..<rows).map { row in id == 0 ? texts.randomElement(using: &random) ?? nil : "{\"row\":\(row)}" }))
    }
    return table
  }

  /// A small table whose block has every form of a column.
  static func everyForm(rows: Int = 40) -> ColumnTable {
    var random = RandomSource(seed: 21)
    var (time, place, wandering): (Int64, Int64, Int64) = (1_700_000_000_000, 0, 0)
    var (speed, accelerated): (Int64, Int64) = (0, 0)
    var columns: [[Int64?]] = Array(repeating: [], count: 9)
    for row in 0..<rows {
      let step = Int64.random(in: 1...9, using: &random)
      time += step * 1_000
      place += step * 5_000 + Int64.random(in: -3...3, using: &random)
      wandering += Int64.random(in: -1_000_000...1_000_000, using: &random)
      speed += Int64.random(in: -2...2, using: &random)
      accelerated += 10_000 + speed
      let arrival = 1_700_000_000 + Int64(row / 10 + 1) * 100
      let accuracies: [Int64] = [473, 500, 6_500]
      let accuracy = accuracies.randomElement(using: &random) ?? 0
      let values: [Int64?] = [
        time, place, arrival - time / 1_000, wandering, wandering + Int64.random(in: 0...3, using: &random), accuracy,
        row.isMultiple(of: 3) ? nil : Int64(bitPattern: random.next()), 7, accelerated,
      ]
      for (column, value) in values.enumerated() { columns[column].append(value) }
    }
    return ColumnTable(
      count: rows, integers: columns.enumerated().map { Integers(UInt8($0) + 1, $1) },
      texts: [Texts(id: 100, values: (0..<rows).map { $0 % 4 == 0 ? nil : "{\"note\":\($0 % 5)}" })])
  }

  /// Whether two tables are equal and their texts have the same bytes. `==` compares texts by characters.
  func isIdentical(to other: ColumnTable) -> Bool {
    self == other
      && zip(texts, other.texts).allSatisfy { left, right in
        zip(left.values, right.values).allSatisfy { $0.map { Array($0.utf8) } == $1.map { Array($0.utf8) } }
      }
  }
}
