internal import Foundation
internal import Godwit
internal import GodwitCommandLine
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore
internal import GodwitTransfer

/// `godwit convert`
struct ConvertCommand: Command {
  static let name = "convert"
  static let abstract = "Convert a store or a journal of a development build."
  static let discussion = """
    Reads a server's data folder or database, or a tracker's journal or file of regions, and writes a new one. The old one is not
    changed. Stop the server or the tracker first.
    """
  static let examples = [
    (line: "godwit convert ~/.local/share/godwit ~/godwit-new", purpose: "A server's data folder"),
    (line: "godwit convert postgres://godwit@db/old postgres://godwit@db/new", purpose: "A database"),
    (line: "godwit convert tracker.journal new.journal", purpose: "A tracker's journal"),
  ]

  @Operands("OLD NEW", 2...2, "The old data folder, database or file, and the new one")
  var paths: [String]

  func run() async throws {
    if try TrackerConversion.convert(from: paths[0], to: paths[1]) { return Output.result("\(paths[1]): converted.\n") }
    let (source, target) = (try StoreLocation(argument: paths[0]), try StoreLocation(argument: paths[1]))
    let report: @Sendable (Int) -> Void = { Output.progress($0.counted("row")) }
    let summary = try await FormerStore.convert(source, to: target, progress: report) { try target.open() }
    Output.endProgress()
    Output.result("\(paths[1]): \(summary.description).\n")
  }
}
