internal import GodwitModel

/// Errors of the line between two measurements of a known day.
///
/// At a fraction s of the gap, the line differs from the truth by a known distance plus (1 − s) of the error of the first
/// measurement and s of the error of the second. Both errors are normal, so that the probability of each bound is given by the Rice
/// distribution.
struct GapErrors: Sendable {
  let day: KnownDay
  let model: MeasurementModel
  private let rules: OptimumRules
  private let samples: Int
  private let rice = RiceDistribution.shared

  init(day: KnownDay, model: MeasurementModel, rules: OptimumRules, samplesEverySecond: Bool = false) {
    self.day = day
    self.model = model
    self.rules = rules
    samples = samplesEverySecond ? .max : max(1, rules.maximumSamples)
  }

  /// The line between two seconds, independent of the kinds of the measurements there.
  struct Reading {
    struct Sample {
      /// Fraction of the gap, and distance of the line from the truth in metres.
      var part: Double
      var distance: Double
    }

    var first: Int
    var last: Int
    var samples: [Sample] = []
    /// Moving seconds that each sample represents.
    var weight: Float = 0
    var isClosed = false
    /// Results that were computed already, by the qualities of the two measurements.
    var known: [(from: MeasurementModel.Quality, to: MeasurementModel.Quality, shortfall: Shortfall)] = []
  }

  func reading(from first: Int, to last: Int) -> Reading {
    var reading = Reading(first: first, last: last)
    let (a, b) = (day.places[first], day.places[last])
    let north = b.latitude - a.latitude
    let east = Plane.difference(a.longitude, b.longitude)
    let metres = (north * Plane.metersPerDegree, east * day.east[first])
    let isNear =
      metres.0 * metres.0 + metres.1 * metres.1 <= rules.measuring.nearEnough * rules.measuring.nearEnough
    reading.isClosed = Double(last - first) <= rules.measuring.maximumGap || isNear
    let measured = day.measured(from: first, to: last)
    guard measured > 0 else { return reading }
    let stride = (measured - 1) / samples + 1
    var next = stride / 2
    reading.samples.reserveCapacity(measured / stride + 1)
    var index = 0
    let length = Double(last - first)
    for second in first..<last where day.isMeasured[second] {
      if index == next || (next >= measured && index == measured - 1) {
        let part = Double(second - first) / length
        let place = day.places[second]
        let y = (a.latitude + north * part - place.latitude) * Plane.metersPerDegree
        let x = (Plane.difference(place.longitude, a.longitude) + east * part) * day.east[second]
        reading.samples.append(.init(part: part, distance: (y * y + x * x).squareRoot()))
        next += stride
      }
      index += 1
    }
    reading.weight = Float(measured) / Float(max(1, reading.samples.count))
    return reading
  }

  /// Returns the expected seconds beyond the bounds between two measurements.
  func shortfall(_ reading: inout Reading, from a: MeasurementKind, to b: MeasurementKind) -> Shortfall {
    guard !reading.samples.isEmpty else { return Shortfall() }
    guard let from = model.quality(a, in: day.environments[reading.first]),
      let to = model.quality(b, in: day.environments[reading.last])
    else { return all(reading) }
    if let known = reading.known.first(where: { $0.from == from && $0.to == to }) { return known.shortfall }
    let covariance = to.covariance(from, seconds: Double(reading.last - reading.first))
    let (before, after) = (from.variance, to.variance)
    let usable = Float(from.usable * to.usable)
    var within = Shortfall()
    for sample in reading.samples {
      let (s, r) = (sample.part, 1 - sample.part)
      let deviation = (r * r * before + s * s * after + 2 * r * s * covariance).squareRoot()
      add(&within, sample.distance, deviation, isClosed: reading.isClosed)
    }
    let shortfall = missing(within, usable: usable, reading)
    reading.known.append((from, to, shortfall))
    return shortfall
  }

  /// Returns the same for the time before the first measurement or after the last: the track stays at that measurement.
  func held(_ second: Int, _ kind: MeasurementKind, from first: Int, to last: Int) -> Shortfall {
    guard day.measured(from: first, to: last) > 0 else { return Shortfall() }
    var reading = Reading(first: first, last: last)
    reading.isClosed = true
    let here = day.places[second]
    for other in first..<last where day.isMeasured[other] {
      let place = day.places[other]
      let y = (here.latitude - place.latitude) * Plane.metersPerDegree
      let x = Plane.difference(place.longitude, here.longitude) * day.east[other]
      reading.samples.append(.init(part: 0, distance: (y * y + x * x).squareRoot()))
    }
    reading.weight = 1
    guard let quality = model.quality(kind, in: day.environments[second]) else { return all(reading) }
    var within = Shortfall()
    for sample in reading.samples { add(&within, sample.distance, quality.variance.squareRoot(), isClosed: true) }
    return missing(within, usable: Float(quality.usable), reading)
  }

  private func add(_ within: inout Shortfall, _ distance: Double, _ deviation: Double, isClosed: Bool) {
    within.median += rice.share(within: rules.median, distance: distance, deviation: deviation)
    within.percentile95 += rice.share(within: rules.percentile95, distance: distance, deviation: deviation)
    if isClosed {
      within.covered += rice.share(within: rules.measuring.nearEnough, distance: distance, deviation: deviation)
    }
  }

  private func all(_ reading: Reading) -> Shortfall {
    let seconds = Float(reading.samples.count) * reading.weight
    return Shortfall(median: seconds, percentile95: seconds, covered: seconds)
  }

  private func missing(_ within: Shortfall, usable: Float, _ reading: Reading) -> Shortfall {
    let count = Float(reading.samples.count)
    return Shortfall(
      median: (count - within.median * usable) * reading.weight,
      percentile95: (count - within.percentile95 * usable) * reading.weight,
      covered: (count - within.covered * usable) * reading.weight)
  }
}
