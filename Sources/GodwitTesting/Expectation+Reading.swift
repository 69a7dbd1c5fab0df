internal import GodwitEngine
internal import GodwitPhone
internal import GodwitSimulator

extension Expectation {
  private static let counts: [String: Quantity] = [
    "records": .records, "fixes": .fixes, "visits": .visits, "trips": .trips, "actions": .actions, "launches": .launches,
    "wakes": .wakes, "uploads": .uploads, "failed-uploads": .failedUploads, "delivered": .delivered,
  ]
  private static let others = ["notices", "hole", "position", "every", "speed", "distance", "energy", "app", "nothing"]

  /// Parses the words after `expect`.
  init(_ words: inout Tokenizer, _ start: SimulatedTime, text: String, line: Int) throws(LineFault) {
    check = try Self.check(&words, start)
    self.text = text
    self.line = line
    if words.consume("on") {
      systems = Set(try words.systems())
    } else if words.consume("except") {
      try words.expect("on")
      systems = Set(SystemVersion.allCases).subtracting(try words.systems())
    }
  }

  private static func check(_ words: inout Tokenizer, _ start: SimulatedTime) throws(LineFault) -> Check {
    guard let word = words.next() else { throw LineFault("expect needs a condition: \(known)") }
    if let quantity = counts[word] {
      let bound = try bound(&words) { words throws(LineFault) in try words.number() }
      return .count(quantity, bound, try window(&words, start))
    }
    switch word {
    case "notices":
      let kind = words.consume("of") ? try words.choice("a kind of notice", Notice.Kind.self) : nil
      let bound = try bound(&words) { words throws(LineFault) in try words.number() }
      return .count(.notices(kind), bound, try window(&words, start))
    case "hole":
      _ = words.consume("of")
      let bound = try bound(&words) { words throws(LineFault) in try words.seconds() }
      return .hole(bound, try window(&words, start))
    case "position":
      try words.expect("within")
      let meters = try words.meters()
      try words.expect("at")
      return .position(within: meters, at: try words.timestamp(start))
    case "every":
      try words.expect("position")
      try words.expect("within")
      return .everyPosition(within: try words.meters(), try window(&words, start))
    case "speed":
      try words.expect("at")
      try words.expect("most")
      return .speed(atMost: try words.speed(), try window(&words, start))
    case "distance":
      return .distance(try bound(&words) { words throws(LineFault) in try words.number(in: [("%", 1)]) })
    case "energy":
      let bound = try bound(&words) { words throws(LineFault) in try words.number(in: [("mWh", 1), ("J", 1 / 3.6)]) }
      return .energy(bound, try window(&words, start))
    case "app":
      let state = try words.choice("a state of the app", AppState.self)
      try words.expect("at")
      return .app(state, at: try words.timestamp(start))
    case "nothing":
      return try words.choice(
        "lost, waiting or twice", ["lost": .nothingLost, "waiting": .nothingWaiting, "twice": .nothingTwice])
    default: throw LineFault("\"\(word)\" is not a condition; known are \(known)")
    }
  }

  private static var known: String { (counts.keys + others).sorted().joined(separator: ", ") }

  private static func bound(
    _ words: inout Tokenizer, _ value: (inout Tokenizer) throws(LineFault) -> Double
  ) throws(LineFault) -> Bound {
    if words.consume("exactly") { return .exactly(try value(&words)) }
    if words.consume("at") {
      if words.consume("least") { return .atLeast(try value(&words)) }
      if words.consume("most") { return .atMost(try value(&words)) }
    }
    throw LineFault("expected \"at least\", \"at most\" or \"exactly\" and a number")
  }

  private static func window(_ words: inout Tokenizer, _ start: SimulatedTime) throws(LineFault) -> Window? {
    guard words.consume("between") else { return nil }
    let first = try words.timestamp(start)
    try words.expect("and")
    let last = try words.timestamp(start)
    guard first < last else { throw LineFault("the second time is not after the first") }
    return Window(from: first, to: last)
  }
}
