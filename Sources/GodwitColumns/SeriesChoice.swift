/// Chooses the encoding of a column: the source and the predictor whose residuals have the fewest bits in the sampled rows.
struct SeriesChoice {
  private(set) var plan = IntegerColumn.Plan()
  private let estimate: SeriesEstimate
  private var fewest = Double.infinity

  init(_ values: [Int64], references: [IntegerColumn.Reference], allowsDictionary: Bool) {
    let rows = SampledRows(count: values.count)
    estimate = SeriesEstimate(runs: rows.sampled)
    let others = references.map { rows.values($0.values) }
    // The divisor of the whole column also applies to the sampled rows.
    var scaled = values
    SeriesScale.divide(&scaled)
    tryAll(rows.values(scaled), .plain, references: others)
    guard fewest > Self.negligible else { return }
    if allowsDictionary, let distinct = DistinctValues(values) {
      let share = Double(rows.sampled.reduce(0) { $0 + $1.count }) / Double(max(values.count, 1))
      let size = Self.bitsOfEntry * Double(distinct.sorted.count) * share
      tryAll(rows.values(distinct.places), .dictionary(distinct), references: others, extra: size)
    }
    let sample = rows.values(values)
    let length = estimate.stepLength(sample)
    for (place, other) in others.enumerated() { tryRelations(of: sample, stepLength: length, to: other, place) }
  }

  /// If the sampled rows have fewer bits, no other encoding is tried.
  private static let negligible = 64.0
  /// Estimated bits of a value in a dictionary, for example of the steps of sorted altitudes.
  private static let bitsOfEntry = 3.0

  private mutating func tryAll(_ sample: [Int64], _ source: SeriesSource, references: [[Int64]], extra: Double = 0) {
    for predictor in [Predictor.delta, .linear, .level] { consider(sample, source, predictor, extra: extra) }
    // A column that never decreases is a time or a counter.
    for (place, pace) in references.enumerated() where pace.count == sample.count {
      guard estimate.runs.allSatisfy({ run in run.dropFirst().allSatisfy { pace[$0] >= pace[$0 - 1] } }) else { continue }
      consider(sample, source, .paced, pace: (place, pace), extra: extra)
    }
  }

  private mutating func consider(
    _ sample: [Int64], _ source: SeriesSource, _ predictor: Predictor, pace: (place: Int, values: [Int64])? = nil,
    extra: Double = 0
  ) {
    let level = predictor == .level ? SeriesScale.middle(sample) : 0
    let bits = estimate.bits(sample, predictor, level: level, pace: pace?.values ?? []) + extra
    guard bits < fewest else { return }
    fewest = bits
    plan = IntegerColumn.Plan(source: source, predictor: predictor, pace: pace?.place)
  }

  /// Tries the sums and differences with another column whose steps have a similar size. A column with smaller steps has little
  /// effect, and one with larger steps makes the residuals larger.
  private mutating func tryRelations(of sample: [Int64], stepLength: Double, to other: [Int64], _ place: Int) {
    let length = estimate.stepLength(other)
    for (power, bits) in [0.0, 10, 20].enumerated() where length >= bits && abs(length - bits - stepLength) <= 1 {
      for isSum in [false, true] {
        let relation = Relation(isSum: isSum, power: power)
        let difference = zip(sample, other).map { relation.difference($0, $1) }
        for predictor in [Predictor.delta, .level] { consider(difference, .relative(relation, to: place), predictor) }
      }
    }
  }
}
