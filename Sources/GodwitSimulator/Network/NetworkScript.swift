/// The type of the network that a phone uses.
public enum NetworkKind: String, Sendable, Hashable, Codable, CaseIterable {
  case none
  case wifi
  case umts = "3g"
  case lte
  case nr = "5g"
}

/// State of the network at one time.
public struct NetworkCondition: Sendable, Hashable {
  public var kind: NetworkKind
  /// Bits per second from the phone.
  public var up: Double
  /// Bits per second to the phone.
  public var down: Double
  /// Additional seconds of latency in each exchange, compared with a good connection.
  public var delay = 0.0
  /// A captive portal: connected, but requests do not reach the server.
  public var isCaptive = false
  /// Factor of the radio's power: 1 with a good signal, 1.5 at −105 dBm, 3 at the edge of coverage (assumed).
  public var signalCost = 1.0

  public init(
    _ kind: NetworkKind, up: Double, down: Double, delay: Double = 0, isCaptive: Bool = false, signalCost: Double = 1
  ) {
    self.kind = kind
    self.up = up
    self.down = down
    self.delay = delay
    self.isCaptive = isCaptive
    self.signalCost = signalCost
  }

  /// Whether requests reach the server.
  public var isReachable: Bool { kind != .none && !isCaptive }

  // Typical speeds; assumed.
  public static let offline = NetworkCondition(.none, up: 0, down: 0)
  public static let wifi = NetworkCondition(.wifi, up: 10e6, down: 40e6)
  public static let umts = NetworkCondition(.umts, up: 1e6, down: 3e6)
  public static let lte = NetworkCondition(.lte, up: 5e6, down: 15e6)
  public static let nr = NetworkCondition(.nr, up: 20e6, down: 100e6)

  /// Returns the typical network of a kind.
  public static func usual(_ kind: NetworkKind) -> NetworkCondition {
    switch kind {
    case .none: offline
    case .wifi: wifi
    case .umts: umts
    case .lte: lte
    case .nr: nr
    }
  }
}

/// The network over time, as steps. Each step holds until the next one.
public struct NetworkScript: Sendable, Hashable {
  public struct Step: Sendable, Hashable {
    public var start: SimulatedTime
    public var condition: NetworkCondition

    public init(from start: SimulatedTime, _ condition: NetworkCondition) {
      self.start = start
      self.condition = condition
    }
  }

  /// The network before the first step.
  public let beginning: NetworkCondition
  /// Sorted by time. No two steps have the same time, and each step changes the network.
  public let steps: [Step]

  /// - Parameters:
  ///   - beginning: The network before the first step.
  ///   - steps: Steps in any order. Of two steps at the same time the later in the list counts.
  public init(_ beginning: NetworkCondition, steps: [Step] = []) {
    self.beginning = beginning
    var kept: [Step] = []
    let ordered = steps.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
    for (_, step) in ordered {
      if kept.last?.start == step.start { kept.removeLast() }
      if (kept.last?.condition ?? beginning) != step.condition { kept.append(step) }
    }
    self.steps = kept
  }

  public func condition(at time: SimulatedTime) -> NetworkCondition {
    let index = firstStep(after: time)
    return index == 0 ? beginning : steps[index - 1].condition
  }

  /// Returns the index of the first step after a time; `steps.count` if there is none.
  public func firstStep(after time: SimulatedTime) -> Int {
    var low = 0
    var high = steps.count
    while low < high {
      let middle = (low + high) / 2
      if steps[middle].start <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the network along a track: wifi where the phone stays indoors, a mobile network outdoors, and none underground and in
  /// flight. A step begins where the environment changes.
  /// - Parameters:
  ///   - truth: the track.
  ///   - mobile: the mobile network.
  public static func along(_ truth: Truth, mobile: NetworkCondition = .lte) -> NetworkScript {
    func condition(_ environment: Environment?) -> NetworkCondition {
      switch environment {
      case .indoors: .wifi
      case .underground, .flight: .offline
      case .openSky, .suburb, .urban, .canyon, nil: mobile
      }
    }
    return NetworkScript(
      condition(truth.legs[0].environment),
      steps: truth.legs.dropFirst().map {
        Step(from: SimulatedTime(microseconds: $0.start), condition($0.environment))
      })
  }
}
