internal import GodwitModel

/// The input of the optimum: the truth of a day at every full second, counted from the start.
struct KnownDay: Sendable {
  /// Where the phone is.
  struct Place: Sendable {
    var latitude: Double
    var longitude: Double
  }

  let start: SimulatedTime
  /// Number of full seconds before the end. The arrays have one more element, for the second after these.
  let count: Int
  let places: [Place]
  /// Metres in a degree of longitude, at each second.
  let east: [Double]
  let environments: [Environment]
  /// Whether reports measure an error at each second, and the number of such seconds before each second.
  let isMeasured: [Bool]
  let measuredBefore: [Int32]
  /// Number of consecutive seconds with a visible sky, up to each second; 0 where the sky is not visible.
  let skySince: [Int32]
  /// Whether a known wifi network is in range.
  let wifiCoverage: [Bool]
  let stays: [StayWindow]

  /// A real stay and the conditions under which it is found.
  struct StayWindow: Sendable {
    /// A measurement within this many metres of the place is at the stay.
    var place: Place
    var radius: Meters
    /// The first and the last second at the place.
    var first: Int
    var last: Int
    /// At this second half of the stay is still ahead. The last measurement not later than the deadline must be at the place: then
    /// the recorded track is there for half of the time. A schedule that measures during an excursion just before the deadline, and
    /// at the place before and after it, is not considered.
    var deadline: Int

    /// Returns the distance from the place in metres.
    func distance(_ other: Place) -> Meters {
      let y = (other.latitude - place.latitude) * Plane.metersPerDegree
      let x =
        Plane.difference(place.longitude, other.longitude) * Plane.metersPerDegreeEast(latitude: place.latitude)
      return (x * x + y * y).squareRoot()
    }
  }

  /// Maximum length in seconds. A longer day is cut off.
  private static let maximumLength = 31.0 * 86_400

  init(_ truth: Truth, from start: SimulatedTime, to end: SimulatedTime, rules: OptimumRules) {
    self.start = start
    let length = max(0, min(Self.maximumLength, end - start))
    count = Int(length.rounded(.up))
    var cursor = TruthCursor(truth)
    let networks = CoarsePositions(seed: rules.seed)
    var places: [Place] = []
    var east: [Double] = []
    var environments: [Environment] = []
    var isMeasured: [Bool] = []
    var measuredBefore: [Int32] = [0]
    var skySince: [Int32] = []
    var wifiCoverage: [Bool] = []
    var sky: Int32 = 0
    var sum: Int32 = 0
    for second in 0...count {
      let state = cursor.state(at: start + Double(second))
      places.append(Place(latitude: state.latitude, longitude: state.longitude))
      east.append(Plane.metersPerDegreeEast(latitude: state.latitude))
      environments.append(state.environment)
      let isCounted = second < count && state.isMoving && (state.isRecorded || !rules.measuring.onlyRecorded)
      isMeasured.append(isCounted)
      sum += isCounted ? 1 : 0
      measuredBefore.append(sum)
      sky = state.environment.seesSky ? sky + 1 : 0
      skySince.append(sky)
      wifiCoverage.append(networks.isWifiInRange(state))
    }
    self.places = places
    self.east = east
    self.environments = environments
    self.isMeasured = isMeasured
    self.measuredBefore = measuredBefore
    self.skySince = skySince
    self.wifiCoverage = wifiCoverage
    stays = Self.windows(truth, from: start, seconds: count, to: end, rules: rules.measuring)
  }

  /// Number of seconds at which an error is measured.
  var measured: Int { Int(measuredBefore[count]) }

  func measured(from first: Int, to last: Int) -> Int { Int(measuredBefore[last] - measuredBefore[first]) }

  private static func windows(
    _ truth: Truth, from start: SimulatedTime, seconds: Int, to end: SimulatedTime, rules: MeasuringRules
  ) -> [StayWindow] {
    let samples = TimedPlace.samples(of: truth, from: start, to: end, each: rules.sampling)
    let comparison = StayComparison(RecordedTrack([]), truth: samples, from: start, to: end, rules: rules)
    return comparison.real.compactMap { stay in
      guard let found = comparison.window(of: stay, truth: samples) else { return nil }
      func second(_ time: Int64) -> Int { max(0, min(seconds, Int((SimulatedTime(microseconds: time) - start).rounded(.down)))) }
      return StayWindow(
        place: Place(latitude: stay.coordinate.latitude, longitude: stay.coordinate.longitude), radius: rules.stays.radius,
        first: second(found.first), last: second(found.last), deadline: second(found.deadline))
    }
  }

  // MARK: Times of measurements

  /// Returns the seconds at which a measurement is considered: in equal steps while moving and shortly before and after, rarely
  /// elsewhere, and at the stays.
  func candidates(grid: Int) -> [Int] {
    let near = 60
    let step = max(1, grid)
    var isCandidate = [Bool](repeating: false, count: count + 1)
    for second in stride(from: 0, through: count, by: step) {
      let around = measured(from: max(0, second - near), to: min(count, second + near))
      if around > 0 || second % 600 < step { isCandidate[second] = true }
    }
    for stay in stays {
      for second in [stay.first + 15, stay.first + 60, stay.deadline] {
        isCandidate[max(stay.first, min(stay.last, second))] = true
      }
    }
    return isCandidate.indices.filter { isCandidate[$0] }
  }
}
