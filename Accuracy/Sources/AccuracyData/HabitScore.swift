package import GodwitModes

/// Counts the parts of tracks that a model classifies correctly by itself, and with the user's corrections of earlier parts.
package struct HabitScore: Sendable {
  /// A part with its true class.
  package struct Sample: Sendable {
    package var part: ModeHabits.Part
    package var truth: Int

    /// - Parameter part: a part with a probability for each class.
    package init(_ part: ModeHabits.Part, truth: Int) {
      self.part = part
      self.truth = truth
    }

    /// The class that the model gives.
    var given: Int { HabitScore.best(part.probabilities) }
  }

  /// Which parts a user corrects or confirms.
  package enum Examples: CaseIterable, Sendable {
    /// All parts of the first half. The second half is scored.
    case firstHalf
    /// The parts of the first half that the model classified incorrectly. The second half is scored.
    case wrongOfFirstHalf
    /// Each part that is shown incorrectly, immediately. All parts are scored, each with the corrections before it.
    case corrected
  }

  package private(set) var parts = 0
  package private(set) var rightAlone = 0
  package private(set) var right = 0
  /// Parts with a similar example.
  package private(set) var similar = 0
  package private(set) var changedToRight = 0
  package private(set) var changedToWrong = 0

  package init() {}

  /// Adds the parts of one person.
  /// - Parameter samples: the parts in order of time.
  package mutating func add(_ samples: [Sample], _ examples: Examples) {
    guard let classes = samples.first?.part.probabilities.count else { return }
    var habits = ModeHabits(modes: classes)
    let half = samples.count / 2
    for (index, sample) in samples.enumerated() {
      switch examples {
      case .firstHalf where index < half: _ = habits.add(sample.part, mode: sample.truth)
      case .wrongOfFirstHalf where index < half:
        if sample.given != sample.truth { _ = habits.add(sample.part, mode: sample.truth) }
      case .firstHalf, .wrongOfFirstHalf: count(sample, habits)
      case .corrected:
        if count(sample, habits) != sample.truth { _ = habits.add(sample.part, mode: sample.truth) }
      }
    }
  }

  /// - Returns: the class that is shown.
  @discardableResult
  private mutating func count(_ sample: Sample, _ habits: ModeHabits) -> Int {
    let probabilities = sample.part.probabilities
    let usual = probabilities.map { _ in true }
    let changed = habits.probabilities(of: sample.part, likelihoods: probabilities, usual: usual)
    let shown = changed.map(Self.best) ?? sample.given
    parts += 1
    if changed != nil { similar += 1 }
    if sample.given == sample.truth { rightAlone += 1 }
    if shown == sample.truth { right += 1 }
    if shown == sample.truth, sample.given != sample.truth { changedToRight += 1 }
    if shown != sample.truth, sample.given == sample.truth { changedToWrong += 1 }
    return shown
  }

  /// The most probable class; the first one if several are equal.
  private static func best(_ probabilities: [Double]) -> Int {
    probabilities.indices.reduce(0) { probabilities[$1] > probabilities[$0] ? $1 : $0 }
  }
}
