internal import Foundation
internal import GodwitCommandLine
internal import GodwitModel

/// What `godwit doctor` says of one part.
package struct Finding {
  package var subject: String
  package var isGood: Bool
  /// Whether godwit works without it.
  package var isOptional: Bool
  package var text: String

  package init(subject: String, isGood: Bool, isOptional: Bool = false, text: String) {
    (self.subject, self.isGood, self.isOptional, self.text) = (subject, isGood, isOptional, text)
  }

  /// Prints findings, a line for each.
  /// - Throws: ``Failure`` where a part that is needed is not good.
  package static func show(_ findings: [Finding], json: Bool) throws {
    if json {
      let list = findings.map {
        ["subject": $0.subject, "ok": $0.isGood, "optional": $0.isOptional, "text": $0.text] as [String: Any]
      }
      Output.result(Array(try JSONSerialization.data(withJSONObject: list, options: [.sortedKeys])) + [0x0A])
    } else {
      Output.result("\(Program.current.name) \(Version.current)\n")
      for finding in findings {
        let mark = finding.isGood ? "ok     " : finding.isOptional ? "look   " : "FAILED "
        Output.result("\(mark)  \(finding.subject): \(finding.text)\n")
      }
    }
    let failed = findings.filter { !$0.isGood && !$0.isOptional }
    if !failed.isEmpty { throw Failure("\(failed.count) things need your attention.") }
  }
}
