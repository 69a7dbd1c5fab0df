package import GodwitCommandLine

/// How fast a file is replayed.
package enum ReplaySpeed: ArgumentValue {
  case factor(Double)
  case max

  /// Whether the file's own times count.
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
