internal import GodwitModel

/// How far a reader of the regions has come. On the wire it is an opaque word.
struct RegionCursor: Sendable, Hashable, LosslessStringConvertible {
  /// Of the store that made it.
  package var epoch: String
  /// ``RegionScope/name`` of what the reader gets.
  package var scope: String
  /// The revision up to which it has everything.
  package var revision: Int64
  /// The store's revision when the reader began; 0 once it has come that far. What was deleted or taken away up to there it
  /// never had.
  package var begin: Int64
  /// The mark of the change that made the revision: another history has another one.
  package var mark: Int64

  package init(epoch: String, scope: String, revision: Int64, begin: Int64, mark: Int64) {
    self.epoch = epoch
    self.scope = scope
    self.revision = revision
    self.begin = begin
    self.mark = mark
  }

  package init?(_ description: String) {
    let parts = description.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 5, let revision = RevisionNumber(parts[2]), let begin = RevisionNumber(parts[3]),
      let mark = UInt64(parts[4], radix: 16)
    else { return nil }
    self.init(
      epoch: String(parts[0]), scope: String(parts[1]), revision: revision.value, begin: begin.value,
      mark: Int64(bitPattern: mark))
  }

  package var description: String {
    "\(epoch).\(scope).\(revision).\(begin).\(String(UInt64(bitPattern: mark), radix: 16))"
  }
}
