import Foundation
import GodwitModel
import Testing

/// Runs the example of a bicycle tracker as its page describes.
@Suite("Examples/CycleTracker")
struct CycleTrackerTests {
  private static let program = Executable.godwit.deletingLastPathComponent().appendingPathComponent("CycleTracker")
  private static let ride = Walk.root.appendingPathComponent("Examples/CycleTracker/Ride.gpx")

  /// The fields of a stored ride.
  private struct Ride: Decodable {
    var start: Date
    var end: Date
    var distance: Double
    var topSpeed: Double
  }

  @Test("the example finds the only ride of a day, without the positions before and after it")
  func ride() throws {
    let folder = try TemporaryFolder()
    let result = try Executable.run(Self.program, [Self.ride.path, folder.path("rides")])
    #expect(result.status == 0, "\(result.errorOutput)")
    // A second run prints the same, because the first run leaves no state behind.
    #expect(try Executable.run(Self.program, [Self.ride.path, folder.path("rides")]).text == result.text)
    let lines = result.text.split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("Ride of 2026-06-20T07:4"), "\(result.text)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path("rides"))
    func file(_ kind: String) throws -> String {
      try #require(files.filter { $0.hasSuffix(kind) }.first, "\(files)")
    }
    #expect(files.filter { $0.hasSuffix(".ride") }.count == 1 && !files.contains { $0.hasSuffix(".going") })
    let ride = try JSONDecoder().decode(
      Ride.self, from: Data(contentsOf: folder.url.appendingPathComponent("rides/" + file(".ride"))))

    // The ride of the file is 8.1 km in 31 minutes; the motion has to be seen for a while before it is reported.
    #expect((7600...8300).contains(ride.distance), "\(ride.distance)")
    #expect((29 * 60...34 * 60).contains(ride.end.timeIntervalSince(ride.start)))
    #expect((8...12).contains(ride.topSpeed))

    // The positions of the file during the ride, ten metres apart, and no others.
    let kept = Walk.points(of: try String(contentsOfFile: folder.path("rides/" + file(".gpx")), encoding: .utf8))
    let all = Walk.points(of: try String(contentsOf: Self.ride, encoding: .utf8))
    #expect(kept.count > 300 && kept.allSatisfy { all.contains($0) })
    #expect(kept.allSatisfy { $0.time >= ride.start && $0.time <= ride.end })

    let page = try String(contentsOfFile: folder.path("rides/" + file(".html")), encoding: .utf8)
    #expect(page.contains("<svg") && page.contains("km/h") && !page.contains("http"))
    #expect(page.components(separatedBy: "<line ").count == kept.count)
  }

  @Test("on a walk there is no ride", arguments: ["korita-zbevnica", "cerknicko-jezero"])
  func walk(_ name: String) throws {
    let folder = try TemporaryFolder()
    let file = Walk.root.appendingPathComponent("Tests/GodwitFilesTests/Fixtures/\(name).gpx")
    let result = try Executable.run(Self.program, [file.path, folder.path("rides")])
    #expect(result.status == 0 && result.text.hasPrefix("There was no ride"), "\(result.text)\(result.errorOutput)")
    #expect(try !FileManager.default.contentsOfDirectory(atPath: folder.path("rides")).contains { $0.hasSuffix(".gpx") })
  }

  @Test("an invalid file is rejected with a message, and wrong usage prints the correct usage")
  func rejections() throws {
    let missing = try Executable.run(Self.program, ["/nowhere.gpx"])
    #expect(missing.status == 1 && missing.errorOutput.contains("/nowhere.gpx"), "\(missing.errorOutput)")
    let wrong = try Executable.run(Self.program, ["--help"])
    #expect(wrong.status == 2 && wrong.errorOutput.contains("usage: CycleTracker"))
  }

  @Test("the package of the example resolves the products that it depends on")
  func manifest() throws {
    let swift = try #require(
      ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map { URL(fileURLWithPath: "\($0)/swift") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) })
    let folder = try TemporaryFolder()
    let result = try Executable.run(
      swift,
      [
        "package", "--package-path", Walk.root.appendingPathComponent("Examples/CycleTracker").path, "--scratch-path",
        folder.path("scratch"), "show-dependencies",
      ])
    // The command fails for a product that the Godwit package does not have.
    #expect(result.status == 0, "\(result.errorOutput)")
  }
}
