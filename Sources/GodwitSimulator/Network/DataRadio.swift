/// Model of the energy that a data radio uses. The radio wakes up (promotion), transfers, and then stays awake for a while in case
/// of further data (tail). A transfer during the tail needs no promotion, and its tail starts again.
///
/// After Huang and others, A close examination of performance and power characteristics of 4G LTE networks, MobiSys 2012.
public struct DataRadio: Sendable {
  /// The numbers of one radio.
  public struct Cost: Sendable, Hashable {
    /// Power during the promotion.
    public var promotion: Power
    /// Duration of the promotion in seconds.
    public var promotionTime: Double
    /// Power while the radio transfers or waits for a response.
    public var base: Power
    /// Additional milliwatts for each megabit per second sent.
    public var upPerMegabit: Double
    /// Additional milliwatts for each megabit per second received.
    public var downPerMegabit: Double
    /// Tails after a transfer, in order.
    public var tails: [Tail]
    /// Seconds of waiting for responses in each exchange.
    public var exchange: Double
  }

  /// A period in which the radio stays awake.
  public struct Tail: Sendable, Hashable {
    public var power: Power
    public var seconds: Double
  }

  public enum Phase: Sendable, Hashable {
    case idle, promotion, transfer, tail
  }

  private struct Stretch: Sendable {
    var phase: Phase
    var power: Power
    var end: SimulatedTime
  }

  /// The current phase and the phases after it, in order. Empty while the radio sleeps.
  private var plan: [Stretch] = []

  public init() {}

  public var phase: Phase { plan.first?.phase ?? .idle }
  public var power: Power { plan.first?.power ?? .zero }
  /// Time of the next change of phase without a new transfer; `never` while the radio sleeps.
  public var nextChange: SimulatedTime { plan.first?.end ?? .never }

  /// Advances time. Must be called at each ``nextChange``; otherwise the power of a phase is missed.
  public mutating func advance(to time: SimulatedTime) {
    while let first = plan.first, first.end <= time { plan.removeFirst() }
  }

  /// Adds a transfer after those in progress.
  /// - Parameters:
  ///   - up: Bytes to send.
  ///   - down: Bytes to receive.
  ///   - condition: The current network. A change during a long transfer is ignored.
  ///   - cost: Power and times of the radio.
  ///   - time: The current time.
  /// - Returns: The time of the last byte.
  public mutating func transfer(
    up: Int, down: Int, over condition: NetworkCondition, cost: Cost, at time: SimulatedTime
  ) -> SimulatedTime {
    advance(to: time)
    let isAsleep = plan.isEmpty
    plan.removeAll { $0.phase == .tail }
    func power(_ milliwatts: Double) -> Power { .milliwatts(milliwatts * condition.signalCost) }
    if isAsleep { append(.promotion, power(cost.promotion.milliwatts), cost.promotionTime, from: time) }
    let base = cost.base.milliwatts
    append(.transfer, power(base), cost.exchange + condition.delay, from: time)
    append(
      .transfer, power(base + cost.upPerMegabit * condition.up / 1e6), Double(max(0, up)) * 8 / max(1, condition.up), from: time)
    append(
      .transfer, power(base + cost.downPerMegabit * condition.down / 1e6), Double(max(0, down)) * 8 / max(1, condition.down),
      from: time)
    let finished = plan.last?.end ?? time
    for tail in cost.tails { append(.tail, power(tail.power.milliwatts), tail.seconds, from: time) }
    return finished
  }

  /// Ends all transfers because the network was lost or changed. The radio sleeps.
  public mutating func cut() { plan = [] }

  private mutating func append(_ phase: Phase, _ power: Power, _ seconds: Double, from time: SimulatedTime) {
    let start = plan.last?.end ?? time
    let end = start + seconds
    if end > start { plan.append(Stretch(phase: phase, power: power, end: end)) }
  }
}
