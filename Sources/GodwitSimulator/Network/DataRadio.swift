/// What a radio for data does with energy: it is woken up (promotion), sends and receives, and stays awake for a while in
/// case that more comes (tail). Another transfer in the tail needs no promotion, and begins the tail again.
///
/// After Huang and others, A close examination of performance and power characteristics of 4G LTE networks, MobiSys 2012.
public struct DataRadio: Sendable {
  /// The numbers of one radio.
  public struct Cost: Sendable, Hashable {
    /// Power while the radio is woken up.
    public var promotion: Power
    /// Seconds that this takes.
    public var promotionTime: Double
    /// While it sends or waits for an answer.
    public var base: Power
    /// Milliwatts more for each megabit a second that is sent.
    public var upPerMegabit: Double
    /// Milliwatts more for each megabit a second that is received.
    public var downPerMegabit: Double
    /// The times of staying awake after a transfer, in order.
    public var tails: [Tail]
    /// Seconds of waiting for answers in each exchange.
    public var exchange: Double
  }

  /// A time of staying awake.
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

  /// What is going on and what comes after it, in order. Empty: asleep.
  private var plan: [Stretch] = []

  public init() {}

  public var phase: Phase { plan.first?.phase ?? .idle }
  public var power: Power { plan.first?.power ?? .zero }
  /// When it does something else by itself; never, while it is asleep.
  public var nextChange: SimulatedTime { plan.first?.end ?? .never }

  /// Lets time pass. Has to be called at ``nextChange``, or the power in between is not seen.
  public mutating func advance(to time: SimulatedTime) {
    while let first = plan.first, first.end <= time { plan.removeFirst() }
  }

  /// Sends and receives, after what is under way.
  /// - Parameters:
  ///   - up: bytes sent.
  ///   - down: bytes received.
  ///   - condition: the network as it is now; its change during a long transfer is ignored.
  ///   - cost: the radio's numbers.
  ///   - time: now.
  /// - Returns: when the last byte has come.
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

  /// The network is gone or another one: what was under way is lost, and the radio sleeps.
  public mutating func cut() { plan = [] }

  private mutating func append(_ phase: Phase, _ power: Power, _ seconds: Double, from time: SimulatedTime) {
    let start = plan.last?.end ?? time
    let end = start + seconds
    if end > start { plan.append(Stretch(phase: phase, power: power, end: end)) }
  }
}
