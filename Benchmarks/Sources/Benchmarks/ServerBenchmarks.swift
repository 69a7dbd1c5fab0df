import Foundation

/// The server under load by wrk from a second process, and the tracker against it. Every answer comes after a
/// durable commit.
enum ServerBenchmarks {
  static func load(in folder: URL) throws -> [Measurement] {
    guard let wrk = Programs.find("wrk") else {
      FileHandle.standardError.write(Data("wrk is not installed (Debian: apt install wrk): no server benchmarks\n".utf8))
      return []
    }
    let server = try Server(in: folder)
    func run(batch: Int, era: Int) throws -> [String: Double] {
      let output = try Programs.run(
        wrk,
        [
          "-t1", "-c8", "-d8s", "--latency", "-s", "Load/overland.lua", "http://127.0.0.1:\(server.port)",
        ], environment: ["TOKEN": server.token, "BATCH": "\(batch)", "ERA": "\(era)"])
      var values: [String: Double] = [:]
      for line in output.split(separator: "\n") {
        let words = line.split(separator: " ")
        if words.count == 2, let value = Double(words[1]) { values[String(words[0])] = value }
      }
      if values["errors"] != 0 { FileHandle.standardError.write(Data("wrk saw errors:\n\(output)\n".utf8)) }
      return values
    }
    let single = try run(batch: 1, era: 0)
    let batches = try run(batch: 200, era: 5)
    return [
      Measurement(
        name: "server, single-point requests over 8 connections, durable", value: single["requests_per_second"] ?? 0,
        unit: "requests/s", goal: 20_000, comparedTo: "OwnTracks recorder, not durable (measured apart): 1667",
        ratio: (single["requests_per_second"] ?? 0) / 1667),
      Measurement(
        name: "server, batches of 200 over 8 connections, durable", value: batches["records_per_second"] ?? 0,
        unit: "points/s", goal: 400_000),
      Measurement(
        name: "memory of the server under that load", value: server.peakMemory ?? 0, unit: "MiB", goal: 96,
        lowerIsBetter: true),
    ]
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
