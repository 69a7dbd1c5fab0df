import Foundation
import GodwitModel
import Testing

/// Runs the example of a view model of an iOS app as its page describes.
@Suite("Examples/UnchangedIOSCode")
struct UnchangedIOSCodeTests {
  private static let program = Executable.godwit.deletingLastPathComponent().appendingPathComponent("UnchangedIOSCode")

  @Test("an ordinary view model of an iOS app shows a recorded walk")
  func walk() throws {
    let result = try Executable.run(Self.program, [Walk.file.path])
    #expect(result.status == 0, "\(result.errorOutput)")
    #expect(try Executable.run(Self.program, [Walk.file.path]).text == result.text)
    // The points of the file after a distance filter of ten metres.
    let all = try Walk.points()
    var (kept, distance) = ([all[0]], 0.0)
    for point in all {
      let last = try #require(kept.last.flatMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) })
      let next = try #require(Coordinate(latitude: point.latitude, longitude: point.longitude))
      let step = GreatCircle.distance(last, next)
      if step >= 10 { (kept, distance) = (kept + [point], distance + step) }
    }
    let shown = try #require(result.text.firstMatch(of: #/Walking: (\d+) m in (\d+) min, (\d+) m upwards/#))
    // The model measures on the ellipsoid.
    #expect(abs((Double(shown.1) ?? 0) / distance - 1) < 0.005, "\(distance)")
    #expect(Int(shown.2) == Int((kept.last?.time ?? .now).timeIntervalSince(kept[0].time) / 60))
    #expect((200...400).contains(Int(shown.3) ?? 0))
    #expect(result.text.contains("Points: \(kept.count), simulated: true"))
    // The walk has rests, and ends at its start.
    #expect(result.text.contains(#/Rests: [1-9]/#))
    #expect(result.text.contains("Left the start: 1 times, is there now: true"), "\(result.text)")
  }

  @Test("an invalid file is rejected with a message, and wrong usage prints the correct usage")
  func rejections() throws {
    let missing = try Executable.run(Self.program, ["/nowhere.gpx"])
    #expect(missing.status == 1 && missing.errorOutput.contains("/nowhere.gpx"), "\(missing.errorOutput)")
    let wrong = try Executable.run(Self.program, ["--help"])
    #expect(wrong.status == 2 && wrong.errorOutput.contains("usage: UnchangedIOSCode"))
  }

  @Test("the model imports only frameworks of iOS, and has no conditions for the system")
  func unchanged() throws {
    let file = Walk.root.appendingPathComponent("Examples/UnchangedIOSCode/Sources/UnchangedIOSCode/WalkModel.swift")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("import ") } == ["import CoreLocation", "import Observation"])
    #expect(!lines.contains { $0.contains("#if") || $0.contains("LocationDaemon") })
  }
}

/// Checks the libraries of a program that depends only on Core Location.
@Suite("The product CoreLocationLinux")
struct CoreLocationProductTests {
  @Test(
    "its program links expat and Swift's libraries, and none of SQLite, curl, zlib and libsystemd",
    .enabled(if: Executable.find("readelf") != nil, "readelf is not installed"))
  func libraries() throws {
    let program = Executable.godwit.deletingLastPathComponent().appendingPathComponent("UnchangedIOSCode")
    let section = try Executable.run(try #require(Executable.find("readelf")), ["--dynamic", "--wide", program.path])
    #expect(section.status == 0, "\(section.errorOutput)")
    let needed = section.text.matches(of: #/\(NEEDED\).*\[(.+)\]/#).map { String($0.1) }
    let system = [
      "libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libdispatch.so", "libBlocksRuntime.so", "ld-linux",
    ]
    let others = needed.filter { name in
      !name.hasPrefix("libswift") && !name.hasPrefix("libFoundation") && !name.hasPrefix("lib_Foundation")
        && !system.contains { name.hasPrefix($0) }
    }
    #expect(others == ["libexpat.so.1"], "\(needed)")
    #expect(!needed.contains { $0.hasPrefix("libFoundationNetworking") }, "\(needed)")
  }

  @Test("the example depends on this product alone")
  func example() throws {
    let file = Walk.root.appendingPathComponent("Examples/UnchangedIOSCode/Package.swift")
    let products = try String(contentsOf: file, encoding: .utf8).matches(of: #/\.product\(name: "(\w+)"/#).map { String($0.1) }
    #expect(products == ["CoreLocationLinux"])
    let package = try String(contentsOf: Walk.root.appendingPathComponent("Package.swift"), encoding: .utf8)
    #expect(package.contains(#".library(name: "CoreLocationLinux", targets: ["CoreLocation", "CoreMotion", "Contacts"])"#))
  }
}
