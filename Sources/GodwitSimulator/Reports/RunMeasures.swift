internal import GodwitModel

/// What a run cost and what it missed, or several runs together. Figures are rounded to what can be meant, so that they are
/// the same on every machine. A figure is `nil` where there is nothing to take it of: no way, no stay, no position.
public struct RunMeasures: Sendable, Hashable, Codable {
  /// Length of all that was measured, in days of 24 hours.
  public var days: Double
  public var energy: EnergyMeasures
  public var track: TrackMeasures
  public var stays: StayMeasures
  public var distance: DistanceMeasures
  public var traffic: TrafficMeasures

  /// Energy, averaged over days.
  public struct EnergyMeasures: Sendable, Hashable, Codable {
    /// Milliwatt hours a day for location and upload: all but the phone's own standby.
    public var milliwattHoursPerDay: Double
    /// The same as a share of the battery's capacity; 0.1 is 10 % a day.
    public var batteryPerDay: Double
    /// Joules for location and upload over the whole time.
    public var joules: Double
    /// Of everything, standby too, in the order of `EnergyPart.allCases`.
    public var parts: [Part]

    /// What one part used.
    public struct Part: Sendable, Hashable, Codable {
      /// The name of the part: "satellites".
      public var part: String
      /// Joules over the whole time.
      public var joules: Double
    }
  }

  /// The recorded track beside the truth at each second on the way.
  public struct TrackMeasures: Sendable, Hashable, Codable {
    /// Seconds on the way, those at a light too.
    public var movingSeconds: Int
    /// The error in metres that half of the seconds do not exceed.
    public var median: Double?
    /// The error in metres that 95 % of the seconds do not exceed.
    public var percentile95: Double?
    /// The largest error, in metres.
    public var worst: Double?
    /// Share of the seconds that are covered, 0…1.
    public var covered: Double?
    /// Seconds, at worst, since the newest position that the phone had was measured.
    public var worstAge: Double
  }

  /// Stays, and when they began and ended.
  public struct StayMeasures: Sendable, Hashable, Codable {
    /// Number of stays in the truth.
    public var real: Int
    /// Number of stays in the recorded track.
    public var found: Int
    /// Share of the found stays that are real, 0…1.
    public var precision: Double?
    /// Share of the real stays that were found, 0…1.
    public var recall: Double?
    /// How late the recorded arrivals are.
    public var arrivalDelay: Delay?
    /// How late the recorded departures are.
    public var departureDelay: Delay?
    /// Seconds from leaving a stay to the first position elsewhere on the phone: median.
    public var noticeMedian: Double?
    /// The same at worst, in seconds.
    public var noticeWorst: Double?
    /// Departures after which none came.
    public var unnoticed: Int

    /// How late recorded times are.
    public struct Delay: Sendable, Hashable, Codable {
      /// Seconds, below 0 when early.
      public var median: Double
      /// The smallest delay in seconds, below 0 when early.
      public var earliest: Double
      /// The largest delay in seconds.
      public var latest: Double
      /// Seconds without a sign: median.
      public var absoluteMedian: Double
      /// Seconds without a sign: maximum.
      public var absoluteWorst: Double
    }

    /// Seconds by which a recorded time is off at worst.
    public var worstDelay: Double? {
      [arrivalDelay?.absoluteWorst, departureDelay?.absoluteWorst].compactMap { $0 }.max()
    }
  }

  /// Length of the path.
  public struct DistanceMeasures: Sendable, Hashable, Codable {
    /// Metres in the truth.
    public var truth: Double
    /// Metres of the recorded track.
    public var recorded: Double
    /// Of the truth, below 0 when the recorded way is shorter: −0.01 is 1 % too short.
    public var difference: Double?
    /// What the single runs are off, without a sign, of the truth.
    public var absoluteDifference: Double?
  }

  /// What went over the wire and how often the app was woken.
  public struct TrafficMeasures: Sendable, Hashable, Codable {
    /// Fixes that the server has.
    public var points: Int
    /// Visits that the server has.
    public var visits: Int
    /// Records that waited on the phone at the end.
    public var waiting: Int
    /// Positions that the system delivered to the app.
    public var delivered: Int
    /// Number of uploads that the server answered with success.
    public var uploads: Int
    /// Number of uploads that failed.
    public var failedUploads: Int
    /// Bytes that the phone sent.
    public var bytesUp: Int
    /// Bytes that the phone received.
    public var bytesDown: Int
    /// Number of launches of the app by the system.
    public var launches: Int
    /// Number of times that the system woke the suspended app.
    public var wakes: Int
  }
}

extension RunCounts {
  /// The figures of what was counted.
  /// - Parameter battery: what the phone's battery holds.
  public func measures(battery: Energy) -> RunMeasures {
    let days = seconds / DayLength.seconds
    let perDay = days > 0 ? ownJoules / days : 0
    return RunMeasures(
      days: days.rounded(to: 1e6),
      energy: RunMeasures.EnergyMeasures(
        milliwattHoursPerDay: (perDay / 3.6).rounded(to: 1e3),
        batteryPerDay: (battery.joules > 0 ? perDay / battery.joules : 0).rounded(to: 1e6),
        joules: ownJoules.rounded(to: 1e3),
        parts: EnergyPart.allCases.map {
          RunMeasures.EnergyMeasures.Part(part: $0.name, joules: joules[$0.rawValue].rounded(to: 1e3))
        }),
      track: RunMeasures.TrackMeasures(
        movingSeconds: errors.count, median: metres(0.5), percentile95: metres(0.95), worst: metres(1),
        covered: share(covered, of: errors.count), worstAge: worstAge.rounded(to: 10)),
      stays: stays(),
      distance: RunMeasures.DistanceMeasures(
        truth: trueLength.rounded(to: 10), recorded: recordedLength.rounded(to: 10),
        difference: trueLength > 0 ? (recordedLength / trueLength - 1).rounded(to: 1e4) : nil,
        absoluteDifference: trueLength > 0 ? (lengthOff / trueLength).rounded(to: 1e4) : nil),
      traffic: RunMeasures.TrafficMeasures(
        points: points, visits: visits, waiting: waiting, delivered: counts.delivered, uploads: counts.uploads,
        failedUploads: counts.failedUploads, bytesUp: counts.bytesUp, bytesDown: counts.bytesDown, launches: counts.launches,
        wakes: counts.wakes))
  }

  private func stays() -> RunMeasures.StayMeasures {
    let noticing = noticing.sorted()
    return RunMeasures.StayMeasures(
      real: realStays, found: foundStays, precision: share(foundMatched, of: foundStays),
      recall: share(realMatched, of: realStays),
      arrivalDelay: RunMeasures.StayMeasures.Delay(arrivalDelays),
      departureDelay: RunMeasures.StayMeasures.Delay(departureDelays),
      noticeMedian: noticing.quantile(0.5)?.rounded(to: 10), noticeWorst: noticing.last?.rounded(to: 10), unnoticed: unnoticed)
  }

  private func metres(_ part: Double) -> Double? {
    errors.quantile(part).flatMap { $0.isFinite ? Double($0).rounded(to: 100) : nil }
  }

  private func share(_ count: Int, of all: Int) -> Double? {
    all > 0 ? (Double(count) / Double(all)).rounded(to: 1e5) : nil
  }
}

extension RunMeasures.StayMeasures.Delay {
  fileprivate init?(_ delays: [Double]) {
    let signed = delays.sorted()
    let absolute = delays.map { abs($0) }.sorted()
    guard let median = signed.quantile(0.5), let earliest = signed.first, let latest = signed.last,
      let absoluteMedian = absolute.quantile(0.5), let absoluteWorst = absolute.last
    else { return nil }
    self.init(
      median: median.rounded(to: 10), earliest: earliest.rounded(to: 10), latest: latest.rounded(to: 10),
      absoluteMedian: absoluteMedian.rounded(to: 10), absoluteWorst: absoluteWorst.rounded(to: 10))
  }
}

extension Array where Element: Comparable {
  /// Of a sorted list, the smallest element that is not smaller than a part of all, 0…1: an order statistic, nothing between
  /// two of them. `nil` of an empty list.
  func quantile(_ part: Double) -> Element? {
    isEmpty ? nil : self[Swift.max(0, Swift.min(count - 1, Int((part * Double(count)).rounded(.up)) - 1))]
  }
}

extension Double {
  /// To the nearest of so many steps in one.
  func rounded(to steps: Double) -> Double { (self * steps).rounded() / steps }
}

extension EnergyPart {
  /// As it is written in JSON: "wifiScans".
  public var name: String { String(describing: self) }

  /// As it is shown to people.
  public var title: String {
    switch self {
    case .standby: "Standby"
    case .processor: "Processor"
    case .satellites: "Satellites"
    case .wifiScans: "Wifi scans"
    case .cellPositions: "Cell positions"
    case .monitoring: "Monitoring"
    case .motion: "Motion chip"
    case .beacons: "Beacons"
    case .mobileData: "Mobile data"
    case .wifiData: "Wifi data"
    case .delivery: "Delivery"
    }
  }
}
