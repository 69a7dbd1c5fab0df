import Foundation

/// `godwit import` from the beginning of the program to its end: decoding and a store with everything durable.
enum ImportBenchmarks {
  static func all(in folder: URL) throws -> [Measurement] {
    let (gpx, google) = (folder.appendingPathComponent("import.gpx"), folder.appendingPathComponent("import.json"))
    let (points, places) = (2_000_000, 1_000_000)
    try FormatBenchmarks.writeGPX(points: points, to: gpx)
    try FormatBenchmarks.writeGoogleRecords(places: places, to: google)
    let size = try FileManager.default.attributesOfItem(atPath: google.path)[.size] as? Int ?? 0
    let ofGPX = try fastest(of: 2) { try run(gpx, points, in: folder) }
    let ofGoogle = try fastest(of: 2) { try run(google, places, in: folder) }
    return [
      Measurement(
        name: "godwit import, GPX of \(points / 1_000_000) million points", value: Double(points) / ofGPX, unit: "points/s",
        goal: 500_000),
      Measurement(
        name: "godwit import, Google Records of \(size / 1_000_000) MB", value: Double(size) / ofGoogle / 1e6, unit: "MB/s",
        goal: 200),
      Measurement(
        name: "the same, memory", value: peakMemory, unit: "MiB", goal: 64, lowerIsBetter: true),
    ]
  }

  private static func run(_ file: URL, _ count: Int, in folder: URL) throws {
    let data = folder.appendingPathComponent("imported-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: data) }
    let said = try Programs.run(Programs.godwit, ["import", file.path, "--device", "walker", "--data", data.path, "--json"])
    precondition(said.contains("\"records\":\(count)"), said)
  }

  /// The highest of all programs that have run and ended, MiB.
  private static var peakMemory: Double {
    var usage = rusage()
    #if os(Linux)
      getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
      return Double(usage.ru_maxrss) / 1024
    #else
      getrusage(RUSAGE_CHILDREN, &usage)
      return Double(usage.ru_maxrss) / 1_048_576
    #endif
  }
}
