internal import Godwit
internal import GodwitCommandLine

/// `godwit-tracker convert`
struct JournalConversion: Command {
  static let name = "convert"
  static let abstract = "Convert a journal of a development build."
  static let discussion = """
    Reads a tracker's journal or file of regions, and writes a new one. The old one is not changed. Stop the tracker first.
    """
  static let examples = [(line: "godwit convert tracker.journal new.journal", purpose: "A tracker's journal")]

  @Operands("OLD NEW", 2...2, "The old file, and the new one")
  var paths: [String]

  func run() async throws {
    guard try TrackerConversion.convert(from: paths[0], to: paths[1]) else {
      throw Failure("\(paths[0]) is neither a journal nor a file of regions of a tracker.")
    }
    Output.result("\(paths[1]): converted.\n")
  }
}
