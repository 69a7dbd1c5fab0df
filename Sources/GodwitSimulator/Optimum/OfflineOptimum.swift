internal import GodwitModel

/// The schedule of measurements with the least energy for a day that is known in advance, and a lower bound for the energy of any
/// schedule. Policies are compared with it.
///
/// The schedule meets the bounds of ``OptimumRules`` in expectation over the errors of the radios, with the definitions of the
/// report: the error of the line between measurements at each moving second, coverage, and stays of five minutes.
///
/// The optimum has abilities that no policy has. It knows the whole day with its places, stops and turns, and detects a departure
/// without motion chip, region or scan. It can measure at any full second of a grid. It knows where satellites and wifi networks
/// can be received, and how long a search takes on average. With ``OptimumRules/Waiting/asleep`` the phone wakes its program at any
/// moment. It is charged with the phone's energy for a launch, wake-ups, searching, tracking, the off-delay of the receiver, scans,
/// deliveries, and one upload of all records over the best network of the day.
///
/// Cell positions are not used, because only 0.2 % of them are within 100 m.
public struct OfflineOptimum: Sendable, Hashable {
  /// A position of the schedule.
  public struct Measurement: Sendable, Hashable {
    public var time: SimulatedTime
    public var source: Source
    /// The mean seconds from turning the receiver on to the measurement, and the seconds that it stays on after the first fix. Both
    /// are 0 without a start.
    public var lead: Double
    public var held: Double
  }

  /// The source of a position.
  public enum Source: String, Sendable, Hashable, Codable, CaseIterable {
    /// Satellites: after a start, or with a receiver that was already on.
    case start, tracking
    case wifi
  }

  /// Joules for location and upload, in the order of `EnergyPart.allCases`. The phone's standby is 0.
  public let parts: [Double]
  /// Minimum joules of any schedule on the same grid. Not above ``joules``.
  public let lowerBound: Double
  public let measurements: [Measurement]
  /// Number of moving seconds, and the expected fractions of them within the bounds of the median, the 95th percentile and
  /// coverage, 0…1.
  public let movingSeconds: Int
  public let within: [Double]
  /// Number of times that the best path for given prices was computed.
  public let rounds: Int

  /// Joules for location and upload, without the phone's standby.
  public var joules: Double { parts.reduce(0, +) }

  /// - Parameters:
  ///   - truth: The true track of the phone.
  ///   - start: Beginning of the day.
  ///   - end: End of the day, at most 31 days after `start`.
  ///   - phone: Energy profile of the phone.
  ///   - rules: Bounds to meet.
  /// - Returns: `nil` if no schedule meets the bounds, for example where satellites are never visible.
  public init?(
    _ truth: Truth, from start: SimulatedTime, to end: SimulatedTime, phone: PhoneProfile = .usual,
    rules: OptimumRules = OptimumRules()
  ) {
    let day = KnownDay(truth, from: start, to: end, rules: rules)
    let graph = ScheduleGraph(day, model: MeasurementModel(phone: phone, waiting: rules.waiting), rules: rules)
    let outcome = ScheduleSearch(graph, allowed: rules.allowed(of: day.measured)).run()
    guard let best = outcome.best else { return nil }
    let (cost, shortfall) = graph.measure(best.nodes)
    var measurements: [Measurement] = []
    for index in best.nodes {
      let node = graph.nodes[index]
      guard let kind = node.kind else { continue }
      measurements.append(
        Measurement(
          time: start + Double(node.second), source: kind.isStart ? .start : kind == .tracking ? .tracking : .wifi,
          lead: graph.model.lead(kind, in: day.environments[node.second]), held: kind.held))
    }
    let upload = Upload(records: measurements.count, truth, from: start, to: end, phone: phone)
    var parts = [Double](repeating: 0, count: EnergyPart.allCases.count)
    parts[EnergyPart.processor.rawValue] = cost.processor + phone[.relaunch]
    parts[EnergyPart.satellites.rawValue] = cost.satellites
    parts[EnergyPart.wifiScans.rawValue] = cost.wifiScans
    parts[EnergyPart.cellPositions.rawValue] = cost.cellPositions
    parts[EnergyPart.delivery.rawValue] = cost.delivery
    parts[upload.part.rawValue] += upload.joules
    self.parts = parts
    let constant = phone[.relaunch] + upload.minimumJoules
    lowerBound = min(outcome.lowerBound + constant, parts.reduce(0, +))
    self.measurements = measurements
    movingSeconds = day.measured
    let seconds = Double(max(1, day.measured))
    within = shortfall.values.map { 1 - $0 / seconds }
    rounds = outcome.rounds
  }
}

/// The single upload that the optimum is charged with.
private struct Upload {
  /// Bytes of a TLS connection with a request and its response, as in the simulated phone, and bytes of a record as JSON.
  private static let up = 1_250
  private static let down = 3_800
  private static let record = 400

  var part = EnergyPart.wifiData
  var joules = 0.0
  /// Joules of an upload without records.
  var minimumJoules = 0.0

  init(records: Int, _ truth: Truth, from start: SimulatedTime, to end: SimulatedTime, phone: PhoneProfile) {
    guard records > 0 else { return }
    let script = NetworkScript.along(truth)
    let first = script.condition(at: start)
    let conditions = [first] + script.steps.filter { $0.start > start && $0.start < end }.map(\.condition)
    guard let condition = conditions.first(where: { $0.kind == .wifi }) ?? conditions.first(where: \.isReachable),
      let cost = phone.radio(condition.kind)
    else { return }
    part = condition.kind == .wifi ? .wifiData : .mobileData
    joules = Self.joules(up: Self.up + records * Self.record, condition, cost, at: start)
    minimumJoules = Self.joules(up: Self.up, condition, cost, at: start)
  }

  private static func joules(up: Int, _ condition: NetworkCondition, _ cost: DataRadio.Cost, at start: SimulatedTime) -> Double {
    var radio = DataRadio()
    _ = radio.transfer(up: up, down: down, over: condition, cost: cost, at: start)
    var energy = Energy.zero
    var now = start
    while radio.nextChange != .never {
      let next = radio.nextChange
      energy += radio.power.energy(from: now, to: next)
      radio.advance(to: next)
      now = next
    }
    return energy.joules
  }
}
