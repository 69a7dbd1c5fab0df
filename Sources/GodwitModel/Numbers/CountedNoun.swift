extension BinaryInteger {
  /// The number with commas as separators of thousands.
  package var grouped: String {
    var text = ""
    let digits = String(magnitude)
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return self < 0 ? "-" + text : text
  }

  /// Returns "1 record" or "2,000 records" for `record`.
  /// - Parameters:
  ///   - one: The words after 1, such as "record was".
  ///   - more: The words after other numbers, such as "records were"; `nil`: `one` with an "s" at its end.
  package func counted(_ one: String, _ more: String? = nil) -> String { "\(grouped) \(self == 1 ? one : more ?? one + "s")" }
}
