package import GodwitText

/// Counts what a parser skipped and remembers the first few.
package struct Skips: Sendable, Hashable, Codable {
  package private(set) var count = 0
  package private(set) var first: [TrackSkip] = []
  /// All that were added since the last call that took them. The caller of a parser takes them after each piece, so they are few.
  private(set) var fresh: [TrackSkip] = []

  // What is fresh is reported, and not kept.
  private enum CodingKeys: CodingKey { case count, first }

  /// How many are remembered.
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

  /// What was added since this was last called.
  package mutating func takeFresh() -> [TrackSkip] {
    guard !fresh.isEmpty else { return [] }
    defer { fresh = [] }
    return fresh
  }
}
