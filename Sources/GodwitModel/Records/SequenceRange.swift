/// The numbers of a journal that an upload covers, including those that its endpoint does not receive. A number in the range
/// without a record was lost for the server. In the header ``header`` the text is `9f86d081884c7d65 17-516; since=1`.
public struct SequenceRange: Sendable, Hashable, Codable {
  /// Name of the header of an upload.
  public static let header = "Godwit-Range"

  /// Maximum number of a range, 2^40. A journal with 1,000 records per second reaches it after 34 years.
  public static let maximumNumber: RecordNumber = 1_099_511_627_776

  /// The journal, as in ``RecordID``.
  public var journal: UInt64
  /// First and last number of the range, from 1.
  public var numbers: ClosedRange<RecordNumber>
  /// The first number that was ever assigned to this endpoint; `nil` if unknown.
  public var since: RecordNumber?

  public init(journal: UInt64, numbers: ClosedRange<RecordNumber>, since: RecordNumber? = nil) {
    self.journal = journal
    self.numbers = numbers
    self.since = since
  }

  /// A syntax error in a range.
  public enum Fault: Error, Sendable, Hashable {
    /// The text has another format.
    case malformed
    /// A number is greater than ``SequenceRange/maximumNumber``.
    case tooWide
  }

  /// Parses the text form.
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
    // A number with more digits than an Int64 can hold is too large as well.
    guard let value = Int64(digits), value <= maximumNumber.value else { throw .tooWide }
    guard let number = RecordNumber(exactly: value) else { throw .malformed }
    return number
  }
}

extension SequenceRange: LosslessStringConvertible {
  /// Parses the text form; `nil` for any other text.
  public init?(_ description: String) {
    do throws(Fault) { try self.init(parsing: description) } catch { return nil }
  }

  public var description: String {
    "\(RecordID.text(ofJournal: journal)) \(numbers.lowerBound)-\(numbers.upperBound)"
      + (since.map { "; since=\($0)" } ?? "")
  }
}
