import Foundation

/// The server under load by wrk from a second process, and the tracker that sends to it. Every response is sent after a durable
/// commit.
enum ServerBenchmarks {
  private static let connections = 64

  static func load(in folder: URL) throws -> [Measurement] {
    guard let wrk = Programs.find("wrk") else {
      FileHandle.standardError.write(Data("wrk is not installed (Debian: apt install wrk): no server benchmarks\n".utf8))
      return []
    }
    let server = try Server(in: folder)
    func overland(batch: Int, era: Int, pause: Int = 0) throws -> [String: Double] {
      try Self.load(
        wrk, "overland", port: server.port,
        ["TOKEN": server.token, "BATCH": "\(batch)", "ERA": "\(era)", "PAUSE": "\(pause)"])
    }
    let single = try overland(batch: 1, era: 0)
    let batches = try overland(batch: 200, era: 1)
    // Half of the goal: the pause of each connection before each request, and the time of the response, result in that rate.
    let steadySingle = try overland(batch: 1, era: 2, pause: connections * 1000 / 15_000 - 2)
    let steadyBatches = try overland(batch: 200, era: 3, pause: connections * 1000 / 1250 - 6)
    let apps = try Self.load(wrk, "owntracks", port: server.port, ["TOKEN": server.token])
    let recorder = try Recorder(in: folder).map { try Self.load(wrk, "owntracks", port: $0.port, [:]) }
    func rate(_ values: [String: Double]) -> Double { values["requests_per_second"] ?? 0 }
    func slowest(_ values: [String: Double]) -> Double { (values["p99_us"] ?? 0) / 1000 }
    return [
      Measurement(
        name: "server, single-point requests over \(connections) connections, durable", value: rate(single), unit: "requests/s",
        goal: 30_000),
      Measurement(
        name: "server, batches of 200 over \(connections) connections, durable", value: batches["records_per_second"] ?? 0,
        unit: "points/s", goal: 500_000),
      Measurement(
        name: "99 % of answers to \(Int(rate(steadySingle))) single-point requests/s within", value: slowest(steadySingle),
        unit: "ms",
        goal: 50, lowerIsBetter: true),
      Measurement(
        name: "99 % of answers to \(Int(rate(steadyBatches))) batches of 200 a second within", value: slowest(steadyBatches),
        unit: "ms",
        goal: 50, lowerIsBetter: true),
      Measurement(
        name: "server, OwnTracks locations over \(connections) connections, durable", value: rate(apps), unit: "requests/s",
        comparedTo: recorder.map { "OwnTracks recorder, not durable: \(Int(rate($0)))" }
          ?? "OwnTracks recorder: none at $OT_RECORDER", ratio: recorder.map { rate(apps) / max(1, rate($0)) }),
      Measurement(
        name: "memory of the server under that load", value: server.peakMemory ?? 0, unit: "MiB", goal: 96,
        lowerIsBetter: true),
    ]
  }

  /// Measures single-point requests at half of the goal's rate, without and with an attack in turns, so that other load on the machine
  /// affects both.
  static func attack(in folder: URL) throws -> [Measurement] {
    guard let wrk = Programs.find("wrk") else {
      FileHandle.standardError.write(Data("wrk is not installed (Debian: apt install wrk): no attack\n".utf8))
      return []
    }
    let server = try Server(in: folder)
    var (quiet, attacked): ([Double], [Double]) = ([], [])
    func slowest(era: Int) throws -> Double {
      let values = try Self.load(
        wrk, "overland", port: server.port,
        ["TOKEN": server.token, "BATCH": "1", "ERA": "\(era)", "PAUSE": "\(connections * 1000 / 15_000 - 2)"])
      return (values["p99_us"] ?? .infinity) / 1000
    }
    for turn in 0..<AttackBenchmark.turns {
      quiet.append(try slowest(era: 2 * turn))
      attacked.append(try AttackBenchmark.under(port: server.port) { try slowest(era: 2 * turn + 1) })
    }
    return AttackBenchmark.measurements(attacked: attacked, quiet: quiet)
  }

  /// Runs a load of ten seconds.
  private static func load(
    _ wrk: URL, _ script: String, port: Int, _ environment: [String: String]
  ) throws -> [String: Double] {
    try Programs.load(wrk, script, port: port, connections: connections, seconds: 10, environment)
  }

  static func track(in folder: URL) throws -> Measurement {
    let server = try Server(in: folder)
    let count = 500_000
    let start = ContinuousClock.now
    try Programs.run(
      Programs.godwit,
      [
        "track", "--source", folder.appendingPathComponent("large.gpx").path, "--speed", "max", "--endpoint",
        "http://127.0.0.1:\(server.port)/api/overland", "--token", server.token, "--journal",
        folder.appendingPathComponent("track.journal").path, "--until-sent",
      ])
    let seconds = Double((ContinuousClock.now - start) / .nanoseconds(1)) / 1e9
    let list = try Programs.run(Programs.godwit, ["device", "list", "--data", server.folder.path, "--json"])
    let devices = try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]]
    let points = devices?.first?["points"] as? Int ?? 0
    if points != count { FileHandle.standardError.write(Data("godwit track delivered \(points) of \(count)\n".utf8)) }
    return Measurement(
      name: "godwit track, a file as fast as it can, end to end", value: Double(points) / seconds, unit: "fixes/s",
      goal: 50_000)
  }
}

/// OwnTracks' recorder on a random port of this machine. `$OT_RECORDER` is the path of one that was built without MQTT.
private final class Recorder {
  let port: Int
  private let process = Process()

  /// - Parameter parent: the folder in which its data folder is created.
  /// - Returns: `nil` if `$OT_RECORDER` is not set.
  init?(in parent: URL) throws {
    guard let path = ProcessInfo.processInfo.environment["OT_RECORDER"] else { return nil }
    let folder = parent.appendingPathComponent("recorder-\(UUID().uuidString)")
    for part in ["store", "htdocs"] {
      try FileManager.default.createDirectory(at: folder.appendingPathComponent(part), withIntermediateDirectories: true)
    }
    let store = folder.appendingPathComponent("store").path
    try Programs.run(URL(fileURLWithPath: path), ["--storage", store, "--initialize"])
    let (listener, freePort) = try LocalSocket.makeListener()
    close(listener)
    port = freePort
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = [
      "--storage", store, "--doc-root", folder.appendingPathComponent("htdocs").path, "--http-host", "127.0.0.1", "--http-port",
      "\(port)", "--norevgeo", "--quiet",
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    // It accepts requests after it has opened its files, and does not report when.
    let end = ContinuousClock.now + .seconds(10)
    while (try? LocalConnection(port: port)) == nil {
      guard process.isRunning, ContinuousClock.now < end else {
        throw Programs.Failure(description: "\(path) accepts no connections on port \(port)")
      }
      usleep(10_000)
    }
  }

  deinit {
    if process.isRunning { Programs.end(process) }
  }
}
