import Foundation

/// Lookups of the names of random positions on land in the built-in world.
enum PlaceBenchmarks {
  /// The output of `PlaceLookups`, in milliseconds.
  private struct Result: Decodable {
    var count: Int
    var coldMedian: Double
    var cold99: Double
    var warmMedian: Double
    var warm99: Double
  }

  static func measure() throws -> [Measurement] {
    let program = URL(fileURLWithPath: ProcessInfo.processInfo.environment["PLACE_LOOKUPS"] ?? "../.build/release/PlaceLookups")
    let result = try JSONDecoder().decode(Result.self, from: Data(try Programs.run(program, []).utf8))
    func line(_ name: String, _ value: Double, goal: Double? = nil) -> Measurement {
      Measurement(name: "places: \(name)", value: value, unit: "ms", goal: goal, lowerIsBetter: true)
    }
    return [
      line("name of a position, no tile decoded before, median of \(result.count)", result.coldMedian),
      line("name of a position, no tile decoded before, 99 %", result.cold99, goal: 1),
      line("name of a position in a known area, median", result.warmMedian),
      line("name of a position in a known area, 99 %", result.warm99, goal: 1),
    ]
  }
}
