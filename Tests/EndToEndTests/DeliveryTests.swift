import Foundation
import GodwitModel
import TestCluster
import TestParts
import TestTexts
import Testing

@testable import GodwitTracks

@Suite("From the receiver to the database, with the real executable", .serialized)
struct DeliveryTests {
  @Test("every point of a recorded walk that has a time arrives, once", .timeLimit(.minutes(20)))
  func file() async throws {
    let server = try await RunningServer()
    let tracked = try Executable.run([
      "track", "--source", Walk.file.path, "--speed", "max", "--endpoint", server.endpoint, "--token", server.token,
      "--journal", server.folder.path("journal"), "--until-sent",
    ])
    #expect(tracked.status == 0, "\(tracked.errorOutput)")
    #expect(tracked.errorOutput.contains("358 points have no time"))
    Walk.expectSame(try server.exported(), try Walk.points())
    #expect(try await server.stop() == 0)
  }

  @Test("tracking a file a second time stores nothing twice", .timeLimit(.minutes(20)))
  func twice() async throws {
    let server = try await RunningServer()
    for journal in ["journal", "journal", "another"] {
      let tracked = try Executable.run([
        "track", "--source", Walk.file.path, "--speed", "max", "--endpoint", server.endpoint, "--token", server.token,
        "--journal", server.folder.path(journal), "--until-sent",
      ])
      #expect(tracked.status == 0, "\(tracked.errorOutput)")
    }
    Walk.expectSame(try server.exported(), try Walk.points())
  }

  @Test(
    "every fix of the real gpsd arrives once, from one receiver or from two of the same kind", .timeLimit(.minutes(20)),
    .enabled(if: TestPart.gpsd.isRun, "\(TestPart.gpsd.reason)"), arguments: [1, 2])
  func gpsd(_ receivers: Int) async throws {
    let server = try await RunningServer()
    // gpsd treats a date before its own release as a rollover of the week number, so the walk is moved to
    // the same date sixteen years later: 5,844 days.
    let shift = 5844.0 * 86400
    let walk = try Walk.points().map {
      Walk.Point(latitude: $0.latitude, longitude: $0.longitude, time: $0.time.addingTimeInterval(shift))
    }
    // gpsd needs about two seconds to detect the receiver and reports nothing until then. The log therefore begins and ends with
    // sentences without a fix.
    var log = ""
    for second in 0..<600 { log += void(walk[0].time.addingTimeInterval(Double(second) - 610)) }
    for point in walk {
      let place = try #require(Coordinate(latitude: point.latitude, longitude: point.longitude))
      log += NMEAWriter.sentences(for: Fix(time: point.time, coordinate: place, speed: 1, course: 90))
    }
    for second in 0..<30 { log += void(walk[walk.count - 1].time.addingTimeInterval(Double(second) + 10)) }
    let file = server.folder.path("walk.nmea")
    try log.write(toFile: file, atomically: true, encoding: .utf8)

    let port = try TestCluster.freePort()
    // gpsfake pauses after each sentence for WRITE_PAD seconds; the default is 33 ms.
    let fake = try Background(
      try #require(Executable.find("gpsfake")),
      ["-1", "-q", "-P", "\(port)", "-c", "0.001"] + Array(repeating: file, count: receivers),
      in: server.folder,
      environment: ["WRITE_PAD": "0.01"])
    let tracker = try Background(
      Executable.godwit,
      [
        "track", "--source", "gpsd://127.0.0.1:\(port)", "--endpoint", server.endpoint, "--token", server.token,
        "--journal", server.folder.path("journal"), "--json",
      ], in: server.folder)
    let end = RFC3339.string(walk[walk.count - 1].time)
    try await tracker.wait("the last fix of the walk", seconds: 120) {
      tracker.text.contains("\"last_fix\":\"\(end)\"") ? true : nil
    }
    fake.interrupt()
    tracker.interrupt()
    #expect(try await tracker.waitForEnd() == 0, "\(tracker.errorOutput)")
    // The journal has the records that the tracker had not sent when it was interrupted.
    try Walk.write([], to: server.folder.path("empty.gpx"))
    let rest = try Executable.run([
      "track", "--source", server.folder.path("empty.gpx"), "--speed", "max", "--endpoint", server.endpoint, "--token",
      server.token, "--journal", server.folder.path("journal"), "--until-sent",
    ])
    // A file without a position is an error, but the pending records are sent.
    #expect(rest.status == 1 && rest.errorOutput.contains("Nothing was replayed"), "\(rest.errorOutput)")
    let exported = try server.exported()
    if receivers == 1 { return Walk.expectSame(exported, walk) }
    // At forty times the recorded speed, gpsd may lose fixes of one receiver; the tracker then uses the other.
    let times = Set(exported.map(\.time))
    #expect(times.count == exported.count && times.isSubset(of: walk.map(\.time)))
    #expect(exported.count > walk.count * 9 / 10)
  }

  @Test(
    "a record that a server rejects is counted as quarantined in the status, and the doctor prints the reason",
    .timeLimit(.minutes(20)))
  func quarantined() async throws {
    let folder = try TemporaryFolder()
    let sink = try WebhookSink { _ in 400 }
    let (file, journal) = (folder.path("walk.gpx"), folder.path("journal"))
    try Walk.write(try Walk.points().prefix(1), to: file)
    let tracker = try Background(
      Executable.godwit,
      [
        "track", "--source", file, "--speed", "max", "--endpoint", "http://127.0.0.1:\(sink.port)/", "--journal", journal,
        "--machine", "off", "--json",
      ], in: folder)
    try await tracker.wait("the rejected record") { tracker.text.contains("\"quarantined\":1") ? true : nil }
    tracker.interrupt()
    _ = try await tracker.waitForEnd()
    await sink.stop()
    let found = try Executable.run(["doctor", "--journal", journal, "--data", folder.path("data")])
    #expect(found.text.contains("  rejected: record 1 of "), "\(found.text)")
  }

  @Test(
    "no record is lost or stored twice when the tracker is killed 50 times and the server 20 times",
    .timeLimit(.minutes(20)))
  func killed() async throws {
    let server = try await RunningServer()
    let walk = try Walk.points()
    var left = walk[...]
    var random = SeededNumbers(20_101_003)
    var trackerKills = 0
    var serverKills = 0
    while trackerKills < 50 {
      // Only fixes that the tracker has not reported as stored are replayed, so a record that it loses stays lost.
      let piece = server.folder.path("left.gpx")
      try Walk.write(left, to: piece)
      let tracker = try Background(
        Executable.godwit,
        [
          "track", "--source", piece, "--speed", "20000", "--endpoint", server.endpoint, "--token", server.token,
          "--journal", server.folder.path("journal"), "--settings", try settings(server.folder), "--json",
        ], in: server.folder)
      let pause = Int.random(in: 5...60, using: &random)
      if serverKills < 20, Int.random(in: 0..<5, using: &random) < 2 || 50 - trackerKills <= 20 - serverKills {
        try await server.killAndRestart()
        serverKills += 1
      }
      try await Task.sleep(for: .milliseconds(pause))
      tracker.kill()
      _ = try await tracker.waitForEnd()
      trackerKills += 1
      if let kept = lastFix(reportedIn: tracker.text) { left = left.drop { $0.time <= kept } }
    }
    #expect(serverKills == 20)
    try Walk.write(left, to: server.folder.path("left.gpx"))
    let last = try Executable.run([
      "track", "--source", server.folder.path("left.gpx"), "--speed", "max", "--endpoint", server.endpoint, "--token",
      server.token, "--journal", server.folder.path("journal"), "--until-sent",
    ])
    #expect(last.status == (left.isEmpty ? 1 : 0), "\(last.errorOutput)")
    Walk.expectSame(try server.exported(), walk)
  }

  // MARK: Parts

  /// Returns the RMC sentence of a receiver without a fix.
  private func void(_ time: Date) -> String {
    let text = RFC3339.string(time, .seconds)
    let digits = text.filter(\.isNumber)
    let clock = digits.dropFirst(8).prefix(6)
    let date = "\(digits.dropFirst(6).prefix(2))\(digits.dropFirst(4).prefix(2))\(digits.dropFirst(2).prefix(2))"
    let body = "GPRMC,\(clock).000,V,,,,,,,\(date),,,N"
    let checksum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return "$\(body)*\(checksum.count == 1 ? "0" : "")\(checksum)\r\n"
  }

  /// Writes settings with a short send interval, so that the tracker is often killed during an upload, and returns the path.
  private func settings(_ folder: TemporaryFolder) throws -> String {
    let path = folder.path("settings.json")
    try #"{"send_interval":"1s","main":{"batch_size":50}}"#.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  /// Returns the time of the newest fix in the last complete status line.
  private func lastFix(reportedIn text: String) -> Date? {
    text.split(separator: "\n", omittingEmptySubsequences: true).reversed().lazy.compactMap { line -> Date? in
      guard line.hasSuffix("}"), let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        (object["problems"] as? [String]) != nil, let time = object["last_fix"] as? String
      else { return nil }
      return RFC3339.date(time)
    }.first
  }
}
