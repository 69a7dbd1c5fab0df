import Foundation
import GodwitModel
import GodwitWire
import Testing

@Suite("godwit simulate")
struct SimulateTests {
  /// Writes a GPX file with two walks of ten minutes on two days, and returns its path.
  private func walks(in folder: TemporaryFolder) throws -> String {
    let starts = ["2026-11-20T08:00:00Z", "2026-11-21T17:00:00Z"].compactMap { RFC3339.date($0) }
    let points = starts.flatMap { start in
      stride(from: 0, through: 600, by: 5).map { second in
        "<trkpt lat=\"\(45 + Double(second) * 1.2e-5)\" lon=\"14\"><time>\(RFC3339.string(start + Double(second)))</time></trkpt>"
      }
    }
    let path = folder.path("walks.gpx")
    let text = "<gpx version=\"1.1\" creator=\"test\"><trk><trkseg>\n\(points.joined(separator: "\n"))\n</trkseg></trk></gpx>"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test("policies are compared in a table, as JSON and as a page; the figures are the same with any number of processors")
  func compares() throws {
    let folder = try TemporaryFolder()
    let route = try walks(in: folder)
    let page = folder.path("report.html")
    let words = ["simulate", "--route", route, "--policy", "always-best", "--policy", "battery-saving"]
    let table = try Executable.run(words + ["--report", page])
    #expect(table.status == 0, "\(table.errorOutput)")
    #expect(table.text.contains("2 days on 1 route") && table.text.contains("always-b") && table.text.contains("battery-"))
    let html = String(decoding: FileManager.default.contents(atPath: page) ?? Data(), as: UTF8.self)
    #expect(html.hasPrefix("<!DOCTYPE html>") || html.hasPrefix("<!doctype html>"))
    #expect(html.contains("battery-saving"))
    let one = try Executable.run(words + ["--json", "--processors", "1"])
    let many = try Executable.run(words + ["--json", "--processors", "4"])
    #expect(one.status == 0 && one.output == many.output)
    let report = try #require(try JSONSerialization.jsonObject(with: one.output) as? [String: Any])
    let policies = try #require(report["policies"] as? [[String: Any]])
    #expect(policies.map { $0["policy"] as? String } == ["always-best", "battery-saving"])
    let shares = policies.compactMap { $0["relative_energy"] as? Double }
    #expect(shares.count == 2 && shares[0] == 1 && shares[1] < 0.2)
    let optimum = try Executable.run(words + ["--optimum"])
    #expect(optimum.status == 0 && optimum.text.contains("ffline optimum"), "\(optimum.errorOutput)")
    let other = try Executable.run(words + ["--json", "--seed", "2"])
    #expect(other.output != one.output)
  }

  @Test("if the phones upload to a store, it has every record once")
  func store() throws {
    let folder = try TemporaryFolder()
    let hazards = folder.path("hazards.txt")
    // Some responses are lost, so their records are sent again.
    try Data("+8h2m lose-replies on\n+8h8m lose-replies off\n+17h3m kill\n+17h4m open\n".utf8)
      .write(to: URL(fileURLWithPath: hazards))
    let words = ["simulate", "--route", try walks(in: folder), "--policy", "always-best", "--hazards", hazards]
    let result = try Executable.run(words + ["--data", folder.path("data"), "--json"])
    #expect(result.status == 0, "\(result.errorOutput)")
    let report = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    let traffic = try #require(
      ((report["policies"] as? [[String: Any]])?.first?["measures"] as? [String: Any])?["traffic"] as? [String: Any])
    let points = try #require(traffic["points"] as? Int)
    let waiting = try #require(traffic["waiting"] as? Int)
    let exported = try Executable.run(["export", "--device", "always-best", "--format", "gpx", "--data", folder.path("data")])
    let stored = exported.text.split(separator: "\n").count { $0.contains("<trkpt") }
    #expect(points > 1_000)
    // After a restart of the app the system reports its last events again: two records, and one point of the store.
    #expect((points - waiting - 8...points).contains(stored), "\(points) recorded, \(waiting) wait, \(stored) stored")
    let listed = try Executable.run(["device", "list", "--json", "--data", folder.path("data")])
    let device = try #require((try JSONSerialization.jsonObject(with: listed.output) as? [[String: Any]])?.first)
    #expect(device["missing"] as? Int == 0, "the store has every record number of the journals")
    #expect(try #require(traffic["failed_uploads"] as? Int) > 0)
  }

  @Test(
    "invalid options are rejected with the valid ones",
    arguments: [
      (["simulate"], 2, "--route is required"),
      (["simulate", "--route", "/nowhere.gpx"], 1, "there is no such file or folder"),
      (["simulate", "--route", "W", "--policy", "best"], 1, "expected one of always-best"),
      (["simulate", "--route", "W", "--phone", "nokia"], 2, "expected one of legacy-n95"),
      (["simulate", "--route", "W", "--motion-chip", "ios-2040"], 2, "expected one of ideal, ios-2014"),
      (["simulate", "--route", "W", "--system", "ios9"], 2, "expected one of ios12"),
      (["simulate", "--route", "W", "--scale", "gnss=2"], 2, "numbers: battery"),
      (["simulate", "--route", "W", "--scale", "cellPositionInterval=0"], 2, "cellPositionInterval must stay above 0"),
      (["simulate", "--route", "W", "--scale", "battery=0"], 2, "expected a factor of 0.001 to 1000"),
      (["simulate", "--route", "W", "--report", "x.pdf"], 2, "ends in .html or .json"),
      (["simulate", "--route", "W", "--hazards", "H"], 1, "unknown hazard \"explode\""),
    ])
  func refuses(_ words: [String], _ status: Int, _ expected: String) throws {
    let folder = try TemporaryFolder()
    let hazards = folder.path("hazards.txt")
    try Data("+1h explode\n".utf8).write(to: URL(fileURLWithPath: hazards))
    let walks = try walks(in: folder)
    let result = try Executable.run(words.map { $0 == "W" ? walks : $0 == "H" ? hazards : $0 })
    #expect(result.status == Int32(status), "\(result.errorOutput)")
    #expect(result.errorOutput.contains(expected), "\(result.errorOutput)")
    #expect(result.output.isEmpty)
  }
}
