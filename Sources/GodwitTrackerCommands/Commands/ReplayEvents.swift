internal import Foundation
internal import Godwit
internal import GodwitCommandLine
internal import GodwitEngine
internal import GodwitModel

/// `godwit replay-events`
struct ReplayEvents: Command {
  static let name = "replay-events"
  static let abstract = "Replay a tracker's event log: each input and the engine's effects."
  static let discussion = """
    `godwit track --event-log FILE` writes the log. This version's engine receives the same events at the same times. Steps
    with different effects are marked, and then the exit status is 1.
    """
  static let examples = [
    (line: "godwit replay-events events.jsonl", purpose: "Everything"),
    (line: "godwit replay-events events.jsonl --differences", purpose: "Print only differences of this version"),
  ]

  @Operands("FILE", 1...1, "The event log")
  var files: [String]
  @Flag("differences", "Show only steps with different effects")
  var differencesOnly: Bool

  func run() async throws {
    let path = files[0]
    guard let log = FileHandle(forReadingAtPath: path) else { throw Failure("\(path): it cannot be read.") }
    var replay = EventReplay()
    var runs = 0
    var steps = 0
    var different = 0
    // After an unreadable line the rest of its run is skipped.
    var isLost = false
    try Self.forEachLine(of: log) { line in
      let outcome: EventReplay.Outcome?
      do { outcome = try replay.replay(line) } catch {
        if !isLost { Output.log("\(path): \(error)") }
        isLost = true
        return
      }
      guard let outcome else {
        runs += 1
        isLost = false
        if !differencesOnly { Output.result("run \(runs)\n") }
        return
      }
      steps += 1
      if !outcome.isSame { different += 1 }
      if !differencesOnly || !outcome.isSame { Output.result(Self.text(outcome)) }
    }
    guard runs > 0 else {
      throw Failure("\(path): the log has no run; godwit track --event-log FILE writes one.")
    }
    Output.log("\(steps.counted("step")) in \(runs.counted("run")); \(different.counted("is", "are")) different now.")
    if different > 0 { throw Failure("\(path): this version's engine has different effects.") }
  }

  /// Calls a closure for each line. The file is read in pieces, because it can be larger than memory.
  private static func forEachLine(of file: FileHandle, _ body: (String) throws -> Void) throws {
    var rest = Data()
    while let piece = try file.read(upToCount: 1 << 18), !piece.isEmpty {
      rest.append(piece)
      var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      rest = Data(lines.removeLast())
      for line in lines where !line.isEmpty { try body(String(decoding: line, as: UTF8.self)) }
    }
    if !rest.isEmpty { Output.log("The last line is truncated and was skipped.") }
  }

  private static func text(_ outcome: EventReplay.Outcome) -> String {
    var text = "\(RFC3339.string(outcome.step.time))  \(EventFormatter.describe(outcome.step.event))\n"
    for effect in outcome.step.effects { text += "    → \(EventFormatter.describe(effect))\n" }
    guard !outcome.isSame else { return text }
    text += "  ! line \(outcome.line): effects of this version\n"
    for effect in outcome.effects { text += "    ⇒ \(EventFormatter.describe(effect))\n" }
    return text
  }
}
