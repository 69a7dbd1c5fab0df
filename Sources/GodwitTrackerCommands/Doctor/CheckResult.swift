internal import Foundation
internal import GodwitCommandLine
internal import GodwitModel

/// Result of one check of `godwit doctor`.
package struct CheckResult {
  package var subject: String
  package var isGood: Bool
  /// Whether godwit works without this part.
  package var isOptional: Bool
  package var text: String

  package init(subject: String, isGood: Bool, isOptional: Bool = false, text: String) {
    (self.subject, self.isGood, self.isOptional, self.text) = (subject, isGood, isOptional, text)
  }

  /// Prints the results, one per line.
  /// - Throws: ``Failure`` if a required part does not work.
  package static func show(_ results: [CheckResult], json: Bool) throws {
    if json {
      let list = results.map {
        ["subject": $0.subject, "ok": $0.isGood, "optional": $0.isOptional, "text": $0.text] as [String: Any]
      }
      Output.result(Array(try JSONSerialization.data(withJSONObject: list, options: [.sortedKeys])) + [0x0A])
    } else {
      Output.result("\(Program.current.name) \(Version.current)\n")
      for result in results {
        let state = result.isGood ? "ok     " : result.isOptional ? "look   " : "FAILED "
        Output.result("\(state)  \(result.subject): \(result.text)\n")
      }
    }
    let failed = results.filter { !$0.isGood && !$0.isOptional }
    if !failed.isEmpty {
      throw Failure("\(failed.count.counted("check")) failed.")
    }
  }
}
