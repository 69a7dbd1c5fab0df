package import GodwitCommandLine

/// The age at which points are compressed.
package enum SealingAge: ArgumentValue, Sendable {
  case after(Double)
  case never

  package init(argument: String) throws(UsageError) {
    if argument == "never" {
      self = .never
    } else if let days = Double(argument), days >= 1, days <= 36_500 {
      self = .after(days)
    } else {
      throw UsageError("\"\(argument)\" is not an age; write a number of days from 1 to 36500, or never")
    }
  }

  /// The age in days; `nil` for `never`.
  var days: Double? { if case .after(let days) = self { days } else { nil } }
}
