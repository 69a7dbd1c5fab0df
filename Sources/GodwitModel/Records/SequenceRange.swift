/// Which numbers of a journal an upload covers, with those that its endpoint is not to have: a server that has no such
/// word for a number has missed it. In the header ``header`` it reads `9f86d081884c7d65 17-516; since=1`.
public struct SequenceRange: Sendable, Hashable, Codable {
  /// The header of an upload that carries one.
  public static let header = "Godwit-Range"

  /// The journal, as in ``RecordID``.
  public var journal: UInt64
  /// First and last number, from 1.
  public var numbers: ClosedRange<Int64>
  /// The first number that was ever meant for this endpoint; `nil` where the journal does not know.
  public var since: Int64?

  public init(journal: UInt64, numbers: ClosedRange<Int64>, since: Int64? = nil) {
    self.journal = journal
    self.numbers = numbers
    self.since = since
  }
}

extension SequenceRange: LosslessStringConvertible {
  /// Reads the form above; nothing else is one.
  public init?(_ description: String) {
    let parts = description.split(separator: ";", omittingEmptySubsequences: false)
    let words = parts[0].split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count <= 2, words.count == 2 else { return nil }
    let ends = words[1].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = RecordID("\(words[0])-\(ends[0])"), let last = RecordID("\(words[0])-\(ends[1])"),
      first.sequence <= last.sequence
    else { return nil }
    self.init(journal: first.journal, numbers: first.sequence...last.sequence)
    guard parts.count == 2 else { return }
    let start = " since="
    guard parts[1].hasPrefix(start), let since = RecordID("\(words[0])-\(parts[1].dropFirst(start.count))"),
      since.sequence <= first.sequence
    else { return nil }
    self.since = since.sequence
  }

  public var description: String {
    "\(RecordID.text(ofJournal: journal)) \(numbers.lowerBound)-\(numbers.upperBound)"
      + (since.map { "; since=\($0)" } ?? "")
  }
}
