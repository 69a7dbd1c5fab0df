import Foundation

/// `godwit import`, from the start of the program to its end, with decoding and durable storage.
enum ImportBenchmarks {
  static func all(in folder: URL) throws -> [Measurement] {
    let (gpx, google) = (folder.appendingPathComponent("import.gpx"), folder.appendingPathComponent("import.json"))
    let (points, places) = (2_000_000, 2_700_000)
    try FormatBenchmarks.writeGPX(points: points, to: gpx)
    try FormatBenchmarks.writeGoogleRecords(places: places, to: google)
    let size = try FileManager.default.attributesOfItem(atPath: google.path)[.size] as? Int ?? 0
    var memory = 0.0
    let ofGPX = try fastest(of: 2) { memory = max(memory, try run(gpx, points, in: folder)) }
    let ofGoogle = try fastest(of: 2) { memory = max(memory, try run(google, places, in: folder)) }
    return [
      Measurement(
        name: "godwit import, GPX of \(points / 1_000_000) million points", value: Double(points) / ofGPX, unit: "points/s",
        goal: 500_000),
      Measurement(
        name: "godwit import, Google Records of \(size / 1_000_000) MB", value: Double(size) / ofGoogle / 1e6, unit: "MB/s",
        goal: 200),
      Measurement(name: "the same, memory", value: memory, unit: "MiB", goal: 64, lowerIsBetter: true),
    ]
  }

  /// - Returns: the peak memory of the program in MiB.
  private static func run(_ file: URL, _ count: Int, in folder: URL) throws -> Double {
    let data = folder.appendingPathComponent("imported-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: data) }
    let process = Process()
    process.executableURL = Programs.godwit
    process.arguments = ["import", file.path, "--device", "walker", "--data", data.path, "--json"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    var highest = 0.0
    while process.isRunning {
      // The usage of ended children is not suitable, because it includes the memory of this program at the time of the fork.
      highest = max(highest, Programs.peakMemory(of: process.processIdentifier) ?? 0)
      usleep(10_000)
    }
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    precondition(output.contains("\"records\":\(count)"), output)
    return highest
  }
}
