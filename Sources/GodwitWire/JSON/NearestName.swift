/// Finds the known name that is most similar to an unknown one.
enum NearestName {
  /// Returns a text such as `; did you mean "radius"?`; empty if no name is similar.
  static func hint(_ word: String, among names: [StaticString]) -> String {
    let typed = Array(word.lowercased().utf8.prefix(32))
    let best = names.map { name in (name, distance(typed, Array(name.description.utf8))) }.min { $0.1 < $1.1 }
    guard let best, best.1 <= 2 || typed.count >= 3 && best.0.description.hasPrefix(word.lowercased()) else { return "" }
    return "; did you mean \"\(best.0)\"?"
  }

  /// The Levenshtein distance: the number of bytes to change, insert or delete.
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var row = Array(0...b.count)
    for (line, one) in a.enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for (column, other) in b.enumerated() {
        let changed = diagonal + (one == other ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
      }
    }
    return row[b.count]
  }
}
