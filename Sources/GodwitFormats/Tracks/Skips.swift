/// Counts what a parser passed over and remembers the first few.
struct Skips: Sendable, Hashable, Codable {
  private(set) var count = 0
  private(set) var first: [TrackSkip] = []

  /// How many are remembered.
  static let remembered = 20

  mutating func add(_ reason: @autoclosure () -> String, byte: Int, line: Int?) {
    add(reason(), at: FormatError.Place(byte: byte, line: line))
  }

  mutating func add(_ reason: @autoclosure () -> String, at place: @autoclosure () -> FormatError.Place) {
    count += 1
    if first.count < Self.remembered { first.append(TrackSkip(place: place(), reason: reason())) }
  }

  /// Takes over what another one has counted since it was last looked at.
  /// - Parameters:
  ///   - other: the other's count and its first ones.
  ///   - seen: its count when it was last looked at.
  mutating func follow(_ other: (count: Int, first: [TrackSkip]), seen: inout Int) {
    for index in seen..<max(seen, other.count) {
      if index < other.first.count {
        add(other.first[index].reason, at: other.first[index].place)
      } else {
        count += 1
      }
    }
    seen = other.count
  }
}
