import Foundation

/// Ten thousand days in cities of 5,000 geofences, in which the app is ended at random.
enum FenceBenchmarks {
  private static let days = 10_000

  /// The output of `FenceDays`.
  private struct Total: Decodable {
    var days: Int
    var endings: Int
    var crashes: Int
    var stays: Int
    var departures: Int
    var missed: Int
    var doubled: Int
    var maximumMonitored: Int
    var slowest: Double
  }

  static func measure() throws -> [Measurement] {
    let program = URL(fileURLWithPath: ProcessInfo.processInfo.environment["FENCE_DAYS"] ?? "../.build/release/FenceDays")
    let start = ContinuousClock.now
    let total = try JSONDecoder().decode(Total.self, from: Data(try Programs.run(program, ["\(days)"]).utf8))
    let seconds = Double((ContinuousClock.now - start) / .nanoseconds(1)) / 1e9
    let name = "fences: \(total.days) days, app ended \(total.endings + total.crashes) times"
    return [
      Measurement(
        name: "\(name): entries and exits missed, of \(total.stays + total.departures)", value: Double(total.missed), unit: "",
        goal: 0, lowerIsBetter: true),
      Measurement(name: "\(name): told twice", value: Double(total.doubled), unit: "", goal: 0, lowerIsBetter: true),
      Measurement(
        name: "\(name): most regions monitored", value: Double(total.maximumMonitored), unit: "", goal: 20, lowerIsBetter: true),
      Measurement(name: "\(name): days lived", value: Double(total.days) / seconds, unit: "per second"),
    ]
  }
}
