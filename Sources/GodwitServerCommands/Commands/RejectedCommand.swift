internal import Foundation
internal import GodwitCommandLine
internal import GodwitIntake
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore

/// `godwit rejected …`
struct RejectedCommand: Command {
  static let name = "rejected"
  static let abstract = "List and retry rejected records."
  static let discussion = """
    A record that cannot be read is stored unchanged. After an update or a correction it can be retried: it is then processed as
    an upload, so that private zones apply and nothing is stored twice. Works beside a running server.
    """
  static let examples = [
    (line: "godwit rejected list phone", purpose: "Rejected records of one device"),
    (line: "godwit rejected retry --device phone", purpose: "After an update of the server"),
  ]
  static let subcommands: [any Command.Type] = [
    RejectedList.self, RejectedShow.self, RejectedRetry.self, RejectedDelete.self,
  ]
  func run() async throws {}
}

/// `godwit rejected list`
struct RejectedList: StoreCommand {
  static let name = "list"
  static let abstract = "List open rejected records, newest first."
  static let examples = [(line: "godwit rejected list phone --limit 5", purpose: "The newest of one device")]

  @Operands("NAME", 0...1, "The device's name; all devices without it")
  var names: [String]
  let storeOptions = StoreOptions()
  @Option("limit", "N", default: 20, shown: "20", "Maximum number, newest first")
  var limit: Int
  @Flag("all", "Include resolved records")
  var all: Bool
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    guard limit > 0 else { throw UsageError("--limit: expected 1 or more") }
    let store = try openStore()
    defer { store.close() }
    let found = try RejectedRecords(store).list(device: names.first, isSolvedToo: all, limit: limit)
    if json { return Output.result(try RejectedRecords.json(found)) }
    if found.isEmpty { Output.log("There are no rejected records.") }
    var rows = [["ID", "RECEIVED", "DEVICE", "PROTOCOL", "TRIED", "PLACE", "REASON"]]
    for rejection in found {
      rows.append([
        String(rejection.id), rejection.received.formattedUTC, rejection.device.name, RejectedRecords.format(rejection) ?? "-",
        rejection.solved == nil ? String(rejection.attempts) : "solved", rejection.rejected.place, rejection.rejected.reason,
      ])
    }
    if rows.count > 1 { Output.result(TextTable.text(rows)) }
    let dropped = try RejectedRecords(store).dropped(device: names.first)
    if dropped > 0 { Output.log("\(dropped) more were dropped at the limit.") }
  }
}

/// `godwit rejected show`
struct RejectedShow: StoreCommand {
  static let name = "show"
  static let abstract = "Show a rejected record; > marks the lines with the fault."
  static let examples = [(line: "godwit rejected show 17", purpose: "One, by its number in the list")]

  @Operands("ID", 1...1, "Its number")
  var ids: [String]
  let storeOptions = StoreOptions()
  @Flag("raw", "Print only its bytes, to correct them in a file")
  var raw: Bool

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    let rejection = try RejectedRecords(store).one(ids[0])
    if raw { return Output.result(rejection.rejected.raw) }
    let cut = rejection.isCut ? ", of which \(rejection.rejected.raw.count) are stored" : ""
    Output.result(
      """
      \(rejection.received.formattedUTC) \(rejection.device.name), \(RejectedRecords.format(rejection) ?? "protocol unknown"), \
      \(rejection.size.counted("byte"))\(cut)
      \(rejection.rejected.reason) (\(rejection.rejected.place))

      """)
    if let solved = rejection.solved { Output.result("Solved \(solved.formattedUTC).\n") }
    let text = RejectedText(rejection)
    for (index, line) in text.lines.enumerated() {
      Output.result("\(text.marked?.contains(index) == true ? ">" : " ") \(line)\n")
    }
  }
}

/// `godwit rejected retry`
struct RejectedRetry: StoreCommand {
  static let name = "retry"
  static let abstract = "Retry rejected records: one, unchanged or corrected by a file, or many."
  static let examples = [
    (line: "godwit rejected retry 17", purpose: "One, unchanged"),
    (line: "godwit rejected retry 17 --with corrected.json", purpose: "One, corrected"),
    (line: "godwit rejected retry --device phone", purpose: "All of a device"),
  ]

  @Operands("ID", 0...1, "Number of the record; without it all open ones, or those that --device and --reason select")
  var ids: [String]
  let storeOptions = StoreOptions()
  @OptionalOption("device", "NAME", "Records of one device")
  var device: String?
  @OptionalOption("reason", "TEXT", "Records rejected for this reason")
  var reason: String?
  @OptionalOption("with", "FILE", "File to read instead of the stored bytes; - is standard input")
  var with: String?
  @OptionalOption(
    "protocol", "NAME",
    "Protocol of a record that has none: \(RecordProtocol.formats.map(\.rawValue).joined(separator: ", "))")
  var format: String?

  func run() async throws {
    if ids.isEmpty, with != nil { throw UsageError("--with needs the number of one record") }
    if !ids.isEmpty, device != nil || reason != nil { throw UsageError("give either a number, or --device and --reason") }
    var words: RejectedRecordOrigin.Format?
    if let format {
      guard let known = RecordProtocol.formats.first(where: { $0.rawValue == format }) else {
        let all = RecordProtocol.formats.map(\.rawValue).joined(separator: ", ")
        throw UsageError("--protocol \(format): expected one of \(all)")
      }
      words = known
    }
    let mended = try with.map { try Self.bytes(of: $0) }
    let store = try openStore()
    defer { store.close() }
    let rejections = RejectedRecords(store)
    if let id = ids.first {
      let outcome = try rejections.retry(id, raw: mended, format: words)
      if let rejected = outcome.rejected { throw Failure("Rejected again: \(rejected.reason) (\(rejected.place)).") }
      Output.log("Solved: \(outcome.saved) new, \(outcome.duplicates) already stored.")
    } else {
      let summary = try rejections.retryAll(device: device, reason: reason, format: words)
      Output.log(
        "\(summary.solved) solved, \(summary.rejected) rejected again, \(summary.skipped) that cannot be retried unchanged.")
    }
  }

  private static func bytes(of path: String) throws -> [UInt8] {
    if path == "-" { return Array(FileHandle.standardInput.readDataToEndOfFile()) }
    guard let data = FileManager.default.contents(atPath: path) else { throw Failure("\(path) cannot be read.") }
    return Array(data)
  }
}

/// `godwit rejected delete`
struct RejectedDelete: StoreCommand {
  static let name = "delete"
  static let abstract = "Delete rejected records."
  static let examples = [
    (line: "godwit rejected delete 17", purpose: "One"),
    (line: "godwit rejected delete --device phone", purpose: "All of a device, including resolved ones"),
  ]

  @Operands("ID…", 0...100, "Numbers of the records")
  var ids: [String]
  let storeOptions = StoreOptions()
  @OptionalOption("device", "NAME", "All of one device")
  var device: String?
  @OptionalOption("reason", "TEXT", "Records rejected for this reason")
  var reason: String?

  func run() async throws {
    guard ids.isEmpty != (device == nil && reason == nil) else {
      throw UsageError("give either numbers, or --device or --reason")
    }
    let store = try openStore()
    defer { store.close() }
    let count = try await RejectedRecords(store).delete(ids, device: device, reason: reason)
    Output.log("\(count) deleted.")
  }
}
