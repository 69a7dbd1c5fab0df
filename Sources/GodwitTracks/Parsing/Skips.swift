package import GodwitText

/// Counts the skipped parts of a file and stores the first few.
package struct Skips: Sendable, Hashable, Codable {
  package private(set) var count = 0
  package private(set) var first: [TrackSkip] = []
  /// The parts that were added since the last call of ``takeFresh()``. The caller of a parser takes them after each piece, so that
  /// the list stays short.
  private(set) var fresh: [TrackSkip] = []

  // `fresh` is reported at once and not stored.
  private enum CodingKeys: CodingKey { case count, first }

  /// Maximum number of stored parts.
  package static let remembered = 20

  package mutating func add(_ reason: String, byte: Int, line: Int?) {
    add(reason, at: FormatError.Place(byte: byte, line: line))
  }

  package mutating func add(_ reason: String, at place: FormatError.Place) { add(TrackSkip(place: place, reason: reason)) }

  package mutating func add(_ skip: TrackSkip) {
    count += 1
    if first.count < Self.remembered { first.append(skip) }
    fresh.append(skip)
  }

  /// Returns and clears the parts that were added since the last call.
  package mutating func takeFresh() -> [TrackSkip] {
    guard !fresh.isEmpty else { return [] }
    defer { fresh = [] }
    return fresh
  }
}
