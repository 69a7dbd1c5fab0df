import DeviceLife
import Foundation

/// A device's first copy of 100,000 regions over the loopback into its file, until they can be queried. The device and the server run in
/// separate processes.
enum SyncBenchmark {
  private static let count = 100_000

  static func measure(in folder: URL) throws -> [Measurement] {
    let server = try Server(in: folder)
    let file = folder.appendingPathComponent("regions.json")
    // A grid of shops, two hundred metres and more apart.
    let regions = (0..<count).map { number in
      let (row, column) = (number / 400, number % 400)
      return #"{"id":"shop-\#(number)","name":"Shop \#(number)","center":{"latitude":\#(Double(45_000 + row * 3) / 1_000),"#
        + #""longitude":\#(Double(14_000 + column * 4) / 1_000)},"radius":\#(100 + number % 200),"tags":["shops"]}"#
    }
    try Data("[\(regions.joined(separator: ","))]".utf8).write(to: file)
    // The memory of the libraries for a connection and a file, without any region.
    let bare = try copy(to: "bare.device", of: folder, from: server)
    try Programs.run(Programs.godwit, ["regions", "import", file.path, "--data", server.folder.path])
    let report = try copy(to: "regions.device", of: folder, from: server)
    if report.regions != count {
      FileHandle.standardError.write(Data("the device got \(report.regions) of \(count) regions\n".utf8))
    }
    return [
      Measurement(
        name: "sync of 100,000 regions to a device, over the loopback", value: report.seconds, unit: "s", goal: 3,
        lowerIsBetter: true),
      Measurement(
        name: "memory of a device with 100,000 regions, more than without", value: report.after - report.before, unit: "MiB",
        goal: 20, lowerIsBetter: true),
      Measurement(
        name: "memory of it at its highest, more than without", value: report.highest - report.before, unit: "MiB", goal: 20,
        lowerIsBetter: true),
      Measurement(
        name: "of this the program and its libraries, without a region", value: bare.highest - bare.before, unit: "MiB",
        lowerIsBetter: true),
    ]
  }

  /// Copies the regions to a device in a separate process.
  private static func copy(to file: String, of folder: URL, from server: Server) throws -> DeviceSync {
    let output = try Programs.run(
      Programs.device, ["sync", folder.appendingPathComponent(file).path, "http://127.0.0.1:\(server.port)", server.token])
    return try JSONDecoder().decode(DeviceSync.self, from: Data(output.utf8))
  }
}
