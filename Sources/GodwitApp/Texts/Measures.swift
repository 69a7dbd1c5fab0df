internal import Foundation

/// Durations, lengths and speeds as texts.
struct Measures: Sendable {
  let texts: AppTexts

  /// "3 s", "4 min", "2 h 5 min", "3 d 4 h".
  func duration(_ seconds: Double) -> String {
    guard seconds.isFinite else { return texts(.unknown) }
    let whole = Int(min(max(0, seconds), 1e9).rounded(.down))
    switch whole {
    case ..<60: return "\(whole) s"
    case ..<3600: return "\(whole / 60) min"
    case ..<86_400: return whole % 3600 < 60 ? "\(whole / 3600) h" : "\(whole / 3600) h \(whole % 3600 / 60) min"
    default: return whole % 86_400 < 3600 ? "\(whole / 86_400) d" : "\(whole / 86_400) d \(whole % 86_400 / 3600) h"
    }
  }

  /// "1:02:03", for a running clock.
  func clock(_ seconds: Double) -> String {
    let whole = seconds.isFinite ? Int(min(max(0, seconds), 1e9)) : 0
    return "\(whole / 3600):" + Self.two(whole % 3600 / 60) + ":" + Self.two(whole % 60)
  }

  /// "350 m", "12.4 km".
  func length(_ meters: Double) -> String {
    guard meters.isFinite else { return texts(.unknown) }
    return abs(meters) < 1000 ? "\(Int(meters.rounded())) m" : "\(decimal(meters / 1000)) km"
  }

  /// "18.4 km/h", from a speed in metres per second.
  func speed(_ metersPerSecond: Double) -> String {
    metersPerSecond.isFinite ? "\(decimal(metersPerSecond * 3.6)) km/h" : texts(.unknown)
  }

  /// "46.05692, 14.50581"
  func position(_ latitude: Double, _ longitude: Double) -> String { "\(degrees(latitude)), \(degrees(longitude))" }

  /// A number with one decimal place.
  func decimal(_ number: Double) -> String {
    let tenths = Int((min(max(number, -1e12), 1e12) * 10).rounded())
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10)\(texts(.decimalSeparator))\(abs(tenths) % 10)"
  }

  private func degrees(_ degrees: Double) -> String {
    let parts = Int((degrees * 100_000).rounded())
    let fraction = String(abs(parts) % 100_000)
    return "\(parts < 0 ? "-" : "")\(abs(parts) / 100_000)." + String(repeating: "0", count: 5 - fraction.count) + fraction
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
