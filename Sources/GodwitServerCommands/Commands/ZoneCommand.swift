internal import Foundation
internal import GodwitCommandLine
internal import GodwitDeletion
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore

/// `godwit zone …`
struct ZoneCommand: Command {
  static let name = "zone"
  static let abstract = "List private zones, and apply one to the points that are stored already."
  static let discussion = "A private zone changes records from its creation on. Create zones on the page /account."
  static let examples = [(line: "godwit zone list", purpose: "List zones with the number of stored points inside")]
  static let subcommands: [any Command.Type] = [ZoneList.self, ZoneApply.self]
  func run() async throws {}
}

/// `godwit zone list`
struct ZoneList: StoreCommand {
  static let name = "list"
  static let abstract = "List private zones with the number of stored points inside that are unchanged."
  static let examples = [(line: "godwit zone list --json", purpose: "For a program")]

  let storeOptions = StoreOptions()
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    let zones = try Deletions(store, folder: nil).zones()
    if json {
      let list = zones.map { zone in
        var object: [String: Any] = [
          "id": zone.id, "name": zone.name, "inside": zone.action, "stored_points_inside": zone.storedPointsInside,
        ]
        object["user"] = zone.user
        return object
      }
      Output.result(Array(try JSONSerialization.data(withJSONObject: list, options: [.sortedKeys])) + [0x0A])
      return
    }
    if zones.isEmpty { return Output.log("There are no private zones.") }
    Output.result(
      TextTable.text(
        [["ID", "NAME", "USER", "INSIDE", "STORED POINTS"]]
          + zones.map { [$0.id, $0.name, $0.user ?? "-", $0.action, $0.storedPointsInside.grouped] }))
  }
}

/// `godwit zone apply`
struct ZoneApply: ChangingCommand {
  static let name = "apply"
  static let abstract = "Apply a private zone to the points that are stored already."
  static let examples = [(line: "godwit zone apply zon_1 --dry-run", purpose: "Count without changing")]

  @Operands("ID", 1...1, "The zone's id")
  var ids: [String]
  var options = ChangeOptions()

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    let deletions = Deletions(store, folder: nil)
    var counts = try deletions.dry(.zone(ids[0]))
    if !options.isDry {
      if !options.yes { try Prompt.confirm("Apply \(ids[0]) to \(counts.text)? It cannot be undone.", option: "--yes") }
      counts = try deletions.delete(.zone(ids[0]), isPermanent: true, at: Date()).counts
    }
    if options.json {
      Output.result(#"{"dry_run":\#(options.isDry),"counts":\#(counts.json)}"# + "\n")
    } else {
      Output.log("\(ids[0]) \(options.isDry ? "would change" : "changed") \(counts.text).")
    }
  }
}
