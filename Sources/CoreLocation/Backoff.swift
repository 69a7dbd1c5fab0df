/// How long to wait before something is tried again: 1 s, then 2 s, 4 s, … 30 s.
struct Backoff: Sendable {
  static let longest = 30.0
  private var next = 1.0

  /// Seconds to wait now; the next wait is twice as long.
  mutating func take() -> Double {
    defer { next = min(Self.longest, next * 2) }
    return next
  }

  /// It worked: the next wait is the shortest again.
  mutating func reset() { next = 1 }
}
