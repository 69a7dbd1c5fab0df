/// Which numbers of a journal an upload covers, with those that its endpoint is not to have: a server that has no such
/// word for a number has missed it. In the header ``header`` it reads `9f86d081884c7d65 17-516; since=1`.
public struct SequenceRange: Sendable, Hashable, Codable {
  /// The header of an upload that carries one.
  public static let header = "Godwit-Range"

  /// The greatest number that a range may reach, 2^40: a journal with 1,000 records a second needs 34 years for it.
  public static let maximumNumber: RecordNumber = 1_099_511_627_776

  /// The journal, as in ``RecordID``.
  public var journal: UInt64
  /// First and last number, from 1.
  public var numbers: ClosedRange<RecordNumber>
  /// The first number that was ever meant for this endpoint; `nil` where the journal does not know.
  public var since: RecordNumber?

  public init(journal: UInt64, numbers: ClosedRange<RecordNumber>, since: RecordNumber? = nil) {
    self.journal = journal
    self.numbers = numbers
    self.since = since
  }

  /// Why a text is no range.
  public enum Fault: Error, Sendable, Hashable {
    /// It has another form.
    case malformed
    /// A number in it is greater than ``SequenceRange/maximumNumber``.
    case tooWide
  }

  /// Reads the form above.
  /// - Throws: ``Fault``.
  public init(parsing text: String) throws(Fault) {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    let words = parts[0].split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count <= 2, words.count == 2 else { throw .malformed }
    let ends = words[1].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let journal = RecordID("\(words[0])-1")?.journal else { throw .malformed }
    let (first, last) = (try Self.number(ends[0]), try Self.number(ends[1]))
    guard first <= last else { throw .malformed }
    self.init(journal: journal, numbers: first...last)
    guard parts.count == 2 else { return }
    let start = " since="
    guard parts[1].hasPrefix(start) else { throw .malformed }
    let since = try Self.number(parts[1].dropFirst(start.count))
    guard since <= first else { throw .malformed }
    self.since = since
  }

  private static func number(_ digits: Substring) throws(Fault) -> RecordNumber {
    guard (1...20).contains(digits.utf8.count), digits.utf8.allSatisfy({ ($0 &- 48) <= 9 }) else { throw .malformed }
    // More digits than an Int64 has room for are a number as well, and too great.
    guard let value = Int64(digits), value <= maximumNumber.value else { throw .tooWide }
    guard let number = RecordNumber(exactly: value) else { throw .malformed }
    return number
  }
}

extension SequenceRange: LosslessStringConvertible {
  /// Reads the form above; nothing else is one.
  public init?(_ description: String) {
    do throws(Fault) { try self.init(parsing: description) } catch { return nil }
  }

  public var description: String {
    "\(RecordID.text(ofJournal: journal)) \(numbers.lowerBound)-\(numbers.upperBound)"
      + (since.map { "; since=\($0)" } ?? "")
  }
}
