internal import Foundation
internal import GodwitCommandLine
internal import GodwitDeletion
internal import GodwitServer
internal import GodwitStore

/// `godwit trash …`
struct TrashCommand: Command {
  static let name = "trash"
  static let abstract = "List deletions of the last week, undo them, or delete for good."
  static let examples = [(line: "godwit trash list", purpose: "What can be undone")]
  static let subcommands: [any Command.Type] = [TrashList.self, TrashUndo.self, TrashEmpty.self]
  func run() async throws {}
}

/// `godwit trash list`
struct TrashList: StoreCommand {
  static let name = "list"
  static let abstract = "List deletions that can be undone."
  static let examples = [(line: "godwit trash list --json", purpose: "For a program")]

  let storeOptions = StoreOptions()
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    let lines = try Deletions(store, folder: nil).trash()
    if json {
      let list = lines.map { line -> [String: Any] in
        [
          "id": line.id, "kind": line.kind.rawValue, "subject": line.subject, "into": line.into ?? NSNull(),
          "owner": line.user ?? NSNull(), "deleted": line.created.formattedUTC, "until": line.expires.formattedUTC,
          "counts": Dictionary(uniqueKeysWithValues: line.counts.members.map { ($0.name, $0.count) }),
        ]
      }
      Output.result(Array(try JSONSerialization.data(withJSONObject: list, options: [.sortedKeys])) + [0x0A])
      return
    }
    if lines.isEmpty { return Output.log("The trash is empty.") }
    Output.result(
      TextTable.text(
        [["ID", "WHAT", "NAME", "DELETED", "UNTIL", "CONTENT"]]
          + lines.map { line in
            [
              line.id, line.kind.rawValue, line.into.map { "\(line.subject) into \($0)" } ?? line.subject,
              line.created.formattedUTC, line.expires.formattedUTC, line.counts.text,
            ]
          }))
  }
}

/// `godwit trash undo`
struct TrashUndo: StoreCommand {
  static let name = "undo"
  static let abstract = "Restore what was deleted, or divide merged devices again."
  static let examples = [(line: "godwit trash undo trs_3", purpose: "By the id of the list")]

  @Operands("ID", 1...1, "The entry's id")
  var ids: [String]
  let storeOptions = StoreOptions()
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    let counts = try Deletions(store, folder: nil).undo(ids[0], at: Date())
    if json { Output.result(#"{"counts":\#(counts.json)}"# + "\n") } else { Output.log("Restored: \(counts.text).") }
  }
}

/// `godwit trash empty`
struct TrashEmpty: StoreCommand {
  static let name = "empty"
  static let abstract = "Delete for good, and overwrite the space in the database."
  static let examples = [
    (line: "godwit trash empty --yes", purpose: "Everything"), (line: "godwit trash empty trs_3", purpose: "One entry"),
  ]

  @Operands("ID", 0...1, "The entry's id; everything without it")
  var ids: [String]
  let storeOptions = StoreOptions()
  @Flag("yes", "Skip the confirmation")
  var yes: Bool
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    let deletions = Deletions(store, folder: nil)
    if !yes {
      try Prompt.confirm("Delete \(ids.first ?? "everything in the trash") for good? It cannot be undone.", option: "--yes")
    }
    let counts = try deletions.empty(ids.first, at: Date())
    if json {
      Output.result(#"{"counts":\#(counts.json)}"# + "\n")
    } else {
      Output.log("Deleted for good: \(counts.text). Backups and copies made before still have it.")
    }
  }
}
