public import GodwitModel

internal import struct Foundation.Date

/// Positions from wifi and mobile networks. Wifi positions are accurate to a street, cell positions to a part of a town.
public struct CoarsePositions: Sendable {
  private var random: RandomSource
  private let seed: UInt64
  private var north: GaussMarkov
  private var east: GaussMarkov
  private var scanned: SimulatedTime?
  /// Whether the wifi routers nearby were moved here from 30 km to the north.
  var hasMovedRouters = false

  /// Median error of a wifi position in metres. The error has a Rayleigh distribution, so that the deviation on one axis is the
  /// median divided by 1.1774.
  public static let wifiMedian: Meters = 30
  static let medianOfDeviation = 1.1774
  /// Correlation time of that error in seconds.
  static let memory = 120.0
  /// Relocated routers: fraction of the scans, and the distance in metres by which a router was moved.
  public static let movedRouters = 0.01
  static let movedBy: ClosedRange<Double> = 1_000...100_000
  static let carriedBy: Meters = 30_000
  /// Median error of a cell position in metres, standard deviation of its logarithm, and factor of the error in rural areas.
  public static let cellMedian: Meters = 800
  public static let cellSpread = 0.7
  public static let ruralFactor = 4.0
  /// Accuracies are reported in steps, as phones do.
  static let wifiSteps: [Meters] = [35, 50, 65, 100, 165]
  static let cellSteps: [Meters] = [500, 1_000, 1_414, 2_000, 2_500, 3_000, 5_000, 10_000]
  /// Side of the square of a cell in degrees: 1 km.
  static let cellSide = 0.009

  public init(seed: UInt64) {
    self.seed = seed
    random = RandomSource(seed: seed, stream: "wifi and cell")
    north = GaussMarkov(correlationTime: Self.memory, random: &random)
    east = GaussMarkov(correlationTime: Self.memory, random: &random)
  }

  /// Returns the fraction of places with a known wifi network.
  static func wifiCover(_ environment: Environment) -> Double {
    switch environment {
    case .openSky: 0.2
    case .suburb: 0.85
    case .urban: 0.98
    case .canyon: 1
    case .indoors: 0.95
    case .underground: 0.3
    case .flight: 0
    }
  }

  /// Returns whether a known wifi network is in range. The result for a place is always the same.
  public func isWifiInRange(_ truth: TruthState) -> Bool {
    let square = GridSquare(latitude: truth.latitude, longitude: truth.longitude, side: TruthCursor.side)
    return Double(square.bits(seed: seed ^ 0x77_69_66_69) >> 11) * 0x1p-53 < Self.wifiCover(truth.environment)
  }

  /// Returns the position of a wifi scan; `nil` if no known network is in range.
  public mutating func wifi(at time: SimulatedTime, truth: TruthState) -> Fix? {
    let seconds = scanned.map { time - $0 } ?? 0
    scanned = time
    if seconds > 0 {
      north.advance(seconds, random: &random)
      east.advance(seconds, random: &random)
    }
    guard isWifiInRange(truth) else { return nil }
    let deviation = Self.wifiMedian / Self.medianOfDeviation
    var (y, x) = (deviation * north.value, deviation * east.value)
    if random.happens(Self.movedRouters) {
      let direction = random.direction()
      let length = Self.movedBy.lowerBound * DeterministicMath.exp(random.uniform() * DeterministicMath.log(100))
      y = direction.north * length
      x = direction.east * length
    }
    if hasMovedRouters { y += Self.carriedBy }
    let accuracy = Self.step(1.5 * deviation * DeterministicMath.exp(0.3 * random.normal()), of: Self.wifiSteps)
    return Fix(time: time.date, coordinate: Displacement.from(truth, north: y, east: x), horizontalAccuracy: accuracy)
  }

  /// Returns the position of the cell; `nil` where there is no mobile network.
  public mutating func cell(at time: SimulatedTime, truth: TruthState) -> Fix? {
    guard truth.environment != .flight else { return nil }
    let square = GridSquare(latitude: truth.latitude, longitude: truth.longitude, side: Self.cellSide)
    // All phones in a cell get the same wrong position.
    var place = RandomSource(seed: square.bits(seed: seed))
    let size = truth.environment == .openSky ? Self.ruralFactor : 1
    let length = place.lognormal(median: Self.cellMedian * size, spread: Self.cellSpread)
    let direction = place.direction()
    // 68 % of a lognormal distribution lie below the median times e to the power of 0.47 times the spread.
    let typical = Self.cellMedian * size * 1.39
    let accuracy = Self.step(typical * DeterministicMath.exp(0.3 * random.normal()), of: Self.cellSteps)
    return Fix(
      time: time.date, coordinate: Displacement.from(truth, north: direction.north * length, east: direction.east * length),
      horizontalAccuracy: accuracy)
  }

  /// Returns the identity of the phone's cell. It changes when the phone moves to another cell.
  public func cellIdentity(_ truth: TruthState) -> UInt64 {
    GridSquare(latitude: truth.latitude, longitude: truth.longitude, side: Self.cellSide).bits(seed: seed)
  }

  private static func step(_ accuracy: Meters, of steps: [Meters]) -> Meters {
    steps.first { $0 >= accuracy } ?? steps[steps.count - 1]
  }
}
