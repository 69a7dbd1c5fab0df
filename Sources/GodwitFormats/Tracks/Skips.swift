/// Counts what a parser passed over and remembers the first few.
struct Skips {
  private(set) var count = 0
  private(set) var first: [TrackSkip] = []

  mutating func add(_ reason: @autoclosure () -> String, byte: Int, line: Int?) {
    count += 1
    if first.count < 10 { first.append(TrackSkip(place: FormatError.Place(byte: byte, line: line), reason: reason())) }
  }
}
