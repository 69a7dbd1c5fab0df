import Foundation

/// The map page in Chromium on two million points of one device: how soon it is usable, and how long its scripts run in each frame while
/// the map is moved. See `PageFrames/measure.py`.
enum PageBenchmarks {
  private static let points = 2_000_000
  private static let browsers = ["chromium", "chromium-browser", "google-chrome"]

  /// The output of `measure.py`.
  private struct Result: Decodable {
    var firstPaint: Double
    var usable: Double
    var drawn: Double
    var median: Double
    var p95: Double
    var slowest: Double
    var framesPerSecond: Double
    var canvasFramesPerSecond: Double?

    enum CodingKeys: String, CodingKey {
      case firstPaint = "first_paint_ms"
      case usable = "usable_ms"
      case drawn = "drawn_ms"
      case median = "median_ms"
      case p95 = "p95_ms"
      case slowest = "slowest_ms"
      case framesPerSecond = "frames_per_second"
      case canvasFramesPerSecond = "canvas_frames_per_second"
    }
  }

  static func measure(in parent: URL) async throws -> [Measurement] {
    guard let python = Programs.find("python3"), browsers.contains(where: { Programs.find($0) != nil }) else {
      let message = "Chromium or Python is not installed (Debian: apt install chromium python3): no pages\n"
      FileHandle.standardError.write(Data(message.utf8))
      return []
    }
    return try await LifeStore.withData(points: points, in: parent) { try measure(python, data: $0) }
  }

  private static func measure(_ python: URL, data folder: URL) throws -> [Measurement] {
    let server = try Server(data: folder)
    /// Measures with a new login link, because a link works only once.
    func result(_ arguments: String...) throws -> Result {
      let address = "http://127.0.0.1:\(server.port)"
      let link = try Programs.run(Programs.godwit, ["login", "--data", folder.path, "--url", address])
        .trimmingCharacters(in: .newlines)
      let text = try Programs.runStrictly(python, ["PageFrames/measure.py", link, "--json"] + arguments)
      return try JSONDecoder().decode(Result.self, from: Data(text.utf8))
    }
    return lines(
      ofSoftware: try result("--canvas"), own: try result("--no-drawing"), slow: try result("--no-drawing", "--slower", "4"))
  }

  /// - Parameters:
  ///   - software: the result with a map that the processor draws, and with a canvas in its place.
  ///   - own: the result without the drawing.
  ///   - slow: the same on a processor of a quarter of the speed.
  private static func lines(ofSoftware software: Result, own: Result, slow: Result) -> [Measurement] {
    func line(_ what: String, _ value: Double, goal: Double? = nil) -> Measurement {
      Measurement(name: "map page, 2 million points: \(what)", value: value, unit: "ms", goal: goal, lowerIsBetter: true)
    }
    let canvas = software.canvasFramesPerSecond ?? 0
    return [
      line("first contentful paint over loopback", own.firstPaint, goal: 500),
      line("usable", own.usable),
      line("usable, processor ÷ 4", slow.usable, goal: 1500),
      line("map and history drawn by the processor", software.drawn),
      line("scripts of a frame while the map is pulled, median", own.median),
      line("scripts of a frame, 95 %", own.p95, goal: 8),
      line("scripts of a frame, slowest", own.slowest),
      line("scripts of a frame, processor ÷ 4, median", slow.median),
      line("scripts of a frame, processor ÷ 4, 95 %", slow.p95, goal: 16),
      line("scripts of a frame, processor ÷ 4, slowest", slow.slowest),
      Measurement(
        name: "map page, drawn by the processor", value: software.framesPerSecond, unit: "frames/s", goal: canvas / 2,
        comparedTo: "a 2D canvas with the same lines: \(Int(canvas)) frames/s",
        ratio: software.framesPerSecond / max(1, canvas), isGoalMeasured: true),
    ]
  }
}
