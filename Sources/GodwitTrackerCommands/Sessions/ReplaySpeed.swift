package import GodwitCommandLine

/// Speed of a replay.
package enum ReplaySpeed: ArgumentValue {
  case factor(Double)
  case max

  /// Whether the replay follows the times of the file.
  var isPaced: Bool { if case .factor = self { true } else { false } }

  package init(argument: String) throws(UsageError) {
    if argument == "max" {
      self = .max
    } else if let factor = Double(argument), factor > 0, factor.isFinite {
      self = .factor(factor)
    } else {
      throw UsageError("\"\(argument)\" is not a speed; write a number above 0, or max")
    }
  }
}
