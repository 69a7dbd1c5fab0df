import Foundation
import Testing

@Suite("godwit delete", .timeLimit(.minutes(20)))
struct DeleteCommandTests {
  private struct Response: Decodable { var counts: [String: Int] }

  private static func run(_ arguments: [String], _ data: [String]) throws -> [String: Int] {
    let result = try Executable.run(["delete"] + arguments + ["--json"] + data)
    #expect(result.status == 0, "\(result.errorOutput)")
    return try JSONDecoder().decode(Response.self, from: result.output).counts
  }

  @Test("prints the counts, asks for confirmation without --yes, and deletes points, imports, devices and users")
  func commands() throws {
    let folder = try TemporaryFolder()
    let data = ["--data", folder.path("data")]
    let file = folder.path("a.csv")
    let lines = (0..<100).map { "\(1_700_000_000 + $0 * 60),46.\(1000 + $0),-14.5" }
    try Data(("time,lat,lon\n" + lines.joined(separator: "\n")).utf8).write(to: URL(fileURLWithPath: file))
    for name in ["phone", "van"] {
      #expect(try Executable.run(["import", file, "--device", name] + data).status == 0)
    }
    let range = ["points", "--device", "phone", "--from", "2023-11-14T22:13:20Z", "--to", "2023-11-14T22:23:20Z"]
    #expect(try Self.run(range + ["--dry-run"], data)["points"] == 10)
    let asked = try Executable.run(["delete"] + range + data)
    #expect(
      asked.status == 1 && asked.errorOutput.contains("10 points") && asked.errorOutput.contains("--yes"), "\(asked.errorOutput)")
    #expect(try Self.run(range + ["--yes"], data)["points"] == 10)
    let near = ["points", "--device", "phone", "--near", "46.1099,-14.5", "--radius", "20", "--yes"]
    #expect(try Self.run(near, data)["points"] == 2)
    #expect(try Self.run(["points", "--device", "phone", "--bbox", "-15,46.1,-14,46.105", "--yes"], data)["points"] == 41)
    #expect(try Executable.run(["delete", "import"] + data).text.contains("imp_2"))
    #expect(try Self.run(["import", "imp_2", "--yes"], data)["points"] == 100)
    #expect(try Self.run(["device", "phone", "--yes"], data)["points"] == 47)
    let list = try Executable.run(["device", "list", "--json"] + data).text
    #expect(!list.contains("phone") && list.contains("van"))
    for (arguments, status, message) in [
      (["device", "phone", "--yes"], 1, "No device is called"), (["import", "7", "--yes"], 1, "No import has the ID"),
      (["user", "anna", "--yes"], 1, "No user is called"), (["points", "--device", "van"], 2, "Select points"),
      (["points", "--device", "van", "--near", "91,0", "--radius", "5"], 2, "is not LAT,LON"),
      (["points", "--device", "van", "--near", "9,0"], 2, "belong together"),
    ] as [([String], Int32, String)] {
      let result = try Executable.run(["delete"] + arguments + data)
      #expect(result.status == status && result.errorOutput.contains(message), "\(result.errorOutput)")
    }
    #expect(try Executable.run(["zone", "list"] + data).errorOutput.contains("no private zones"))
    #expect(try Executable.run(["zone", "apply", "zon_1", "--yes"] + data).errorOutput.contains("No private zone has the ID"))
  }
}
