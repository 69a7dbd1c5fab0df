internal import Foundation
internal import GodwitHTTP

extension JSONText {
  /// A number with so many digits behind the point, and no more than it needs.
  static func number(_ value: Double, _ decimals: Int) -> String {
    let scale = pow(10, Double(decimals))
    let rounded = (value * scale).rounded() / scale
    guard rounded.isFinite else { return "null" }
    return decimals == 0 ? String(Int64(rounded)) : String(rounded)
  }
}
