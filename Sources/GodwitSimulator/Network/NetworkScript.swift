/// Which network a phone is in.
public enum NetworkKind: String, Sendable, Hashable, Codable, CaseIterable {
  case none
  case wifi
  case umts = "3g"
  case lte
  case nr = "5g"
}

/// The network at one time.
public struct NetworkCondition: Sendable, Hashable {
  public var kind: NetworkKind
  /// Bits a second from the phone.
  public var up: Double
  /// Bits a second to the phone.
  public var down: Double
  /// Seconds that each exchange waits longer than over a good connection.
  public var delay = 0.0
  /// A captive portal: connected, but requests do not reach the server.
  public var isCaptive = false
  /// How much more a radio needs for the same: 1 with a good signal, 1.5 at −105 dBm, 3 at the edge (assumed).
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

  /// Something gets through.
  public var isReachable: Bool { kind != .none && !isCaptive }

  // Ordinary speeds; assumed.
  public static let offline = NetworkCondition(.none, up: 0, down: 0)
  public static let wifi = NetworkCondition(.wifi, up: 10e6, down: 40e6)
  public static let umts = NetworkCondition(.umts, up: 1e6, down: 3e6)
  public static let lte = NetworkCondition(.lte, up: 5e6, down: 15e6)
  public static let nr = NetworkCondition(.nr, up: 20e6, down: 100e6)

  /// The ordinary one of a kind.
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

/// The network over time: steps, each of which holds until the next.
public struct NetworkScript: Sendable, Hashable {
  public struct Step: Sendable, Hashable {
    public var start: SimulatedTime
    public var condition: NetworkCondition

    public init(from start: SimulatedTime, _ condition: NetworkCondition) {
      self.start = start
      self.condition = condition
    }
  }

  /// Before the first step.
  public let beginning: NetworkCondition
  /// In order of time; never two of one time, and none that changes nothing.
  public let steps: [Step]

  /// - Parameters:
  ///   - beginning: before the first step.
  ///   - steps: in any order; of two at one time the later in the list counts.
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

  /// Index of the first step later than a time; `steps.count` if there is none.
  public func firstStep(after time: SimulatedTime) -> Int {
    var low = 0
    var high = steps.count
    while low < high {
      let middle = (low + high) / 2
      if steps[middle].start <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The network along a track: wifi where the truth stays indoors, a mobile network outdoors, none underground and in flight.
  /// A step begins where the environment changes.
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
