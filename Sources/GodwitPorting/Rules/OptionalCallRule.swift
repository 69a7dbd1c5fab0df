/// `delegate?.locationManager?(manager, didUpdateLocations: locations)` and `delegate.locationManager!(…)`.
enum OptionalCallRule {
  /// Requirements that are optional on Apple's systems. Here each has an implementation that does nothing, so that a call needs no `?`.
  private static let methods: Set<String> = [
    "locationManager", "locationManagerDidChangeAuthorization", "locationManagerDidPauseLocationUpdates",
    "locationManagerDidResumeLocationUpdates", "locationManagerShouldDisplayHeadingCalibration",
  ]

  static func diagnoses(_ text: SwiftText) -> [Diagnosis] {
    text.identifiers(in: 0..<text.code.count).compactMap { name, start in
      guard methods.contains(name), start > 0, text.code[start - 1] == UInt8(ascii: ".") else { return nil }
      let end = start + name.utf8.count
      guard end + 1 < text.code.count, text.code[end + 1] == UInt8(ascii: "("),
        text.code[end] == UInt8(ascii: "?") || text.code[end] == UInt8(ascii: "!")
      else { return nil }
      let mark = text.code[end] == UInt8(ascii: "?") ? "?" : "!"
      return Diagnosis(
        kind: .optionalCall, offset: start,
        message: "requirements of a protocol are optional in Objective-C only; call \(name)( without \(mark)",
        edits: [.init(range: end..<end + 1, replacement: "")])
    }
  }
}
