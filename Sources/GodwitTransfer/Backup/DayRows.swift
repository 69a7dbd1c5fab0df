internal import GodwitStore

/// The rows of a damaged day in the store and in a copy, by key and hash. Determines which of them were originally stored.
struct DayRows {
  /// The source of a row.
  enum Source { case store, copy }

  /// The hashes of the rows in the store.
  var stored: [PointKey: Int64] = [:]
  /// The hashes of the rows in the copy.
  var copy: [PointKey: Int64] = [:]

  /// A change of one row: a row of the store is omitted, a row of the copy is added or omitted, or one replaces the other.
  private struct Change {
    let key: PointKey
    /// The change of the XOR of all hashes.
    let hash: Int64
    /// The change of the number of rows.
    let count: Int
  }

  /// Returns a set of rows with a given count and a given XOR of hashes.
  ///
  /// The copy is older than the store, so that rows may have been added, changed or deleted since. Therefore four sets are
  /// tried: with the differing rows of the store or of the copy, and with or without the rows that only the copy has. In
  /// each set up to two rows may differ.
  /// - Returns: the source of each row; `nil`: no such set was found.
  func chosen(count: Int64, hash: Int64) -> [PointKey: Source]? {
    let differing = stored.filter { copy[$0.key].map { [own = $0.value] in $0 != own } ?? false }.map(\.key)
    let missing = copy.keys.filter { stored[$0] == nil }
    for (usesCopy, addsMissing) in [(false, false), (true, false), (true, true), (false, true)] {
      var choice: [PointKey: Source] = stored.mapValues { _ in .store }
      if usesCopy { for key in differing { choice[key] = .copy } }
      if addsMissing { for key in missing { choice[key] = .copy } }
      if let found = completed(choice, differing, missing, count: count, hash: hash) { return found }
    }
    return nil
  }

  private func completed(
    _ choice: [PointKey: Source], _ differing: [PointKey], _ missing: [PointKey], count: Int64, hash: Int64
  ) -> [PointKey: Source]? {
    let wanted = choice.reduce(hash) { $0 ^ value($1.key, $1.value) }
    let difference = count - Int64(choice.count)
    if wanted == 0, difference == 0 { return choice }
    let changes =
      differing.map { Change(key: $0, hash: value($0, .store) ^ value($0, .copy), count: 0) }
      + stored.filter { copy[$0.key] == nil }.map { Change(key: $0.key, hash: $0.value, count: -1) }
      + missing.map { Change(key: $0, hash: value($0, .copy), count: choice[$0] == nil ? 1 : -1) }
    let byHash = Dictionary(grouping: changes, by: \.hash)
    for first in changes {
      if first.hash == wanted, Int64(first.count) == difference { return changed(choice, [first]) }
      let second = byHash[wanted ^ first.hash]?.first { $0.key != first.key && Int64(first.count + $0.count) == difference }
      if let second { return changed(choice, [first, second]) }
    }
    return nil
  }

  private func changed(_ choice: [PointKey: Source], _ changes: [Change]) -> [PointKey: Source] {
    var choice = choice
    for change in changes {
      if change.count == 0 {
        choice[change.key] = choice[change.key] == .store ? .copy : .store
      } else {
        choice[change.key] = change.count < 0 ? nil : .copy
      }
    }
    return choice
  }

  private func value(_ key: PointKey, _ source: Source) -> Int64 { (source == .store ? stored[key] : copy[key]) ?? 0 }
}
