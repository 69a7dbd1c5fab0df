import Foundation
import Testing

@Suite("godwit place", .timeLimit(.minutes(20)))
struct PlaceCommandTests {
  @Test("adds, changes, merges and removes places, and undoes it")
  func commands() throws {
    let folder = try TemporaryFolder()
    let data = ["--data", folder.path("data")]
    let file = folder.path("a.csv")
    try Data("time,lat,lon\n1700000000,46.05,14.5\n".utf8).write(to: URL(fileURLWithPath: file))
    #expect(try Executable.run(["import", file, "--device", "phone"] + data).status == 0)
    func run(_ arguments: String...) throws -> String {
      let result = try Executable.run(["place"] + arguments + data)
      #expect(result.status == 0, "\(result.errorOutput)")
      return result.text + result.errorOutput
    }
    func places() throws -> [[String: Any]] {
      let result = try Executable.run(["place", "list", "--json"] + data)
      return try #require(JSONSerialization.jsonObject(with: result.output) as? [[String: Any]])
    }
    #expect(try run("list").contains("no named places"))
    #expect(try run("add", "Home", "--at", "46.05,14.5", "--radius", "50").contains("place_1"))
    #expect(try run("add", "Gate", "--at", "46.0508,14.5").contains("place_2"))
    let before = try places() as NSArray
    #expect(try run("change", "place_1", "--name", "Flat", "--radius", "80").contains("Changed place_1"))
    #expect(try run("merge", "place_2", "--into", "place_1").contains("Merged place_2 into place_1"))
    #expect(try run("remove", "place_1").contains("Removed"))
    #expect(try places().isEmpty)
    let changes = try run("changes")
    #expect(changes.contains("Gate into Flat") && changes.contains("undo newer ones first"), "\(changes)")
    for id in ["pch_3", "pch_2", "pch_1"] { #expect(try run("undo", id).contains("Undone")) }
    #expect(try places() as NSArray == before)
    for (arguments, status, message) in [
      (["undo", "pch_1"], 1, "No change has the ID"), (["change", "place_9", "--name", "a"], 1, "No place has the ID"),
      (["change", "place_1"], 2, "give --name"), (["add", "a", "--at", "91,0"], 2, "is not LAT,LON"),
      (["add", "a", "--at", "9,0", "--radius", "7"], 2, "20 to 5000"), (["list", "--user", "anna"], 1, "No user is called"),
      (["merge", "place_1", "--into", "place_1"], 1, "another place"),
    ] as [([String], Int32, String)] {
      let result = try Executable.run(["place"] + arguments + data)
      #expect(result.status == status && result.errorOutput.contains(message), "\(result.errorOutput)")
    }
  }
}
