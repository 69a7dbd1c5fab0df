import Foundation
import GodwitServer
import TestClient
import Testing

@testable import GodwitAccounts
@testable import GodwitStore

@Suite("godwit regions")
struct RegionsCommandTests {
  private struct Page {
    var status: Int
    var ids: [String]
    var cursor: String
    var isReset: Bool
  }

  /// Requests a page of regions with the token of the device.
  private func sync(_ server: RunningServer, after: String? = nil) async throws -> Page {
    var address = try #require(URLComponents(string: "http://127.0.0.1:\(server.port)/api/regions"))
    address.queryItems = after.map { [URLQueryItem(name: "after", value: $0)] }
    let response = try await ask("GET", try #require(address.string), token: server.token)
    let object = response.object
    let nodes = object["nodes"] as? [[String: Any]] ?? []
    return Page(
      status: response.status,
      ids: nodes.compactMap { ($0["deleted"] as? Bool == true ? "-" : "") + ($0["id"] as? String ?? "?") },
      cursor: (object["pageInfo"] as? [String: Any])?["endCursor"] as? String ?? "", isReset: object["reset"] as? Bool ?? false)
  }

  @Test("regions that are created, assigned and removed while a server runs reach the device", .timeLimit(.minutes(20)))
  func whole() async throws {
    let server = try await RunningServer()
    // Two servers on one folder would send each webhook twice.
    let second = try Executable.run(["serve", "--listen", "127.0.0.1:0", "--data", server.data])
    #expect(second.status == 1 && second.errorOutput.contains("a server already uses \(server.data)"), "\(second.errorOutput)")
    func run(_ words: String...) throws -> String {
      let result = try Executable.run(["regions"] + words + ["--data", server.data])
      #expect(result.status == 0, "\(words): \(result.errorOutput)")
      return result.text + result.errorOutput
    }
    #expect(try run("add", "home", "--circle", "46.05,14.5,100", "--name", "Home", "--tag", "family").contains("home: made"))
    _ = try run("add", "park", "--polygon", "46.04,14.49 46.04,14.51 46.06,14.5", "--dwell", "300")
    _ = try run("add", "door", "--beacon", "F7826DA6-4FA2-4E98-8024-BC5B71E0893E,1,2", "--at", "46.05,14.5", "--tag", "shop")
    #expect(try run("add", "home", "--circle", "46.05,14.5,100", "--name", "Home", "--tag", "family").contains("unchanged"))
    let list = try run("list")
    #expect(list.contains("circle 46.05000,14.50000, 100 m") && list.contains("area, 3 corners"))
    var page = try await sync(server)
    #expect(page.status == 200 && page.ids == ["home", "park", "door"] && !page.isReset)
    #expect(try run("devices").contains("walker"))

    #expect(try run("remove", "park").contains("1 region"))
    page = try await sync(server, after: page.cursor)
    #expect(page.ids == ["-park"])
    #expect(try run("assign", "walker", "--tag", "family", "--group", "staff").contains("gets 1 region now"))
    page = try await sync(server, after: page.cursor)
    #expect(page.isReset && page.ids == ["home"])
    #expect(try run("assign", "staff", "--as-group", "--tag", "shop").contains("tags shop"))
    page = try await sync(server, after: page.cursor)
    #expect(page.isReset && page.ids == ["home", "door"])
    #expect(try run("assign", "walker").contains("tags family; groups staff"))
    #expect(try run("list", "--device", "walker", "--json").contains(#""id":"door""#))

    let file = server.folder.path("regions.json")
    try run("export").write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try run("import", file, "--json").contains(#""changed":0,"created":0"#))
    #expect(try run("import", file, "--tag", "new").contains("2 changed"))
    #expect(try run("remove", "--all", "--yes").contains("2 regions"))
    page = try await sync(server, after: page.cursor)
    #expect(Set(page.ids) == ["-home", "-door"])
    #expect(try run("import", file).contains("2 regions created"))
    page = try await sync(server, after: page.cursor)
    #expect(page.ids == ["home", "door"])
    #expect(try await server.stop() == 0)
  }

  @Test("without a filter, a member's device is shown with the regions of its app, and another with all regions")
  func withoutFilter() async throws {
    let folder = try TemporaryFolder()
    let data = folder.path("data")
    for name in ["phone", "watch"] {
      let added = try Executable.run(["device", "add", name, "--data", data])
      #expect(added.status == 0, "\(added.errorOutput)")
    }
    let store = try SQLiteTrackStore(folder: data)
    try await store.write { db in
      _ = try UserTable.add("ben", .member, password: "", at: Date(timeIntervalSince1970: 0), db)
      _ = try db.run("UPDATE devices SET owner = (SELECT id FROM users WHERE name = 'ben') WHERE name = 'phone'")
    }
    store.close()
    func run(_ words: String...) throws -> Executable.Result { try Executable.run(["regions"] + words + ["--data", data]) }
    #expect(try run("add", "home", "--circle", "46.05,14.5,100").status == 0)
    #expect(try run("assign", "phone").text == "phone: regions of its app\n")
    #expect(try run("assign", "phone").errorOutput.contains("phone gets 0 regions now."))
    #expect(try run("assign", "watch").text == "watch: all regions\n")
    let lines = try run("devices").text.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("phone") && $0.contains("regions of its app") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("watch") && $0.contains("all regions") }, "\(lines)")
  }

  static let wrong: [(words: [String], status: Int32, message: String)] = [
    (["add", "x"], 2, "one of --circle, --polygon and --beacon"),
    (["add", "x", "--circle", "46,14"], 2, "expected LAT,LON,RADIUS"),
    (["add", "x", "--circle", "46,181,10"], 2, "is not a valid position"),
    (["add", "x", "--circle", "46,14,-1"], 2, "radius: -1 is not a valid radius"),
    (["add", "x", "--circle", "46,14,nan"], 2, "is not a number"),
    (["add", "x", "--polygon", "0,0 2,2 0,2 2,0"], 2, "meets the edge"),
    (["add", "x", "--polygon", "0,0 2,2"], 2, "at least 3 corners"),
    (["add", "x", "--beacon", "1234"], 2, "is not a UUID"),
    (["add", "x", "--beacon", "F7826DA6-4FA2-4E98-8024-BC5B71E0893E,70000"], 2, "0 to 65535"),
    (["add", "x", "--circle", "46,14,10", "--at", "1,2"], 2, "--at belongs to --beacon"),
    (["add", "x", "--circle", "46,14,10", "--dwell", "0"], 2, "dwell"),
    (["add", "a\u{7}", "--circle", "46,14,10"], 2, "control character"),
    (["remove"], 2, "give ids"), (["remove", "x", "--all"], 2, "give ids"), (["remove", "x"], 1, "Nothing was deleted"),
    (["remove", "--all"], 1, "give --yes"), (["assign", "nobody", "--tag", "x"], 1, "No device is called \"nobody\""),
    (["assign", "nobody", "--tag", "x", "--everything"], 2, "--everything excludes the other options"),
    (["assign", "g", "--as-group", "--group", "h"], 2, "a group has"), (["list", "--device", "nobody"], 1, "No device"),
    (["import", "/nowhere.json"], 1, "the file does not exist"), (["export", "--format", "shapefile"], 2, "expected json"),
  ]

  @Test("invalid arguments are rejected with the expected form", arguments: wrong)
  func rejected(_ words: [String], _ status: Int32, _ message: String) throws {
    let folder = try TemporaryFolder()
    _ = try Executable.run(["device", "add", "phone", "--data", folder.path("data")])
    let result = try Executable.run(["regions"] + words, environment: ["GODWIT_DATA": folder.path("data")])
    #expect(result.status == status && result.errorOutput.contains(message), "\(result.errorOutput)")
    #expect(result.output.isEmpty)
  }

  @Test("a file with one invalid region is not imported, and the position of the error is reported")
  func badFile() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("regions.json")
    let good = #"{"id":"a","center":{"latitude":1,"longitude":2},"radius":3}"#
    try #"[\#(good),{"id":"b","center":{"latitude":1,"longitude":2},"radius":-3}]"#
      .write(toFile: file, atomically: true, encoding: .utf8)
    let data = ["--data", folder.path("data")]
    let result = try Executable.run(["regions", "import", file] + data)
    #expect(result.status == 1 && result.errorOutput.contains("regions[1].radius"), "\(result.errorOutput)")
    #expect(try Executable.run(["regions", "list"] + data).errorOutput.contains("There are no such regions"))
  }
}
