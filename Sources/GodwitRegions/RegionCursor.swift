internal import GodwitModel

/// The position of a reader in the sequence of changes. In requests and responses it is an opaque string.
struct RegionCursor: Sendable, Hashable, LosslessStringConvertible {
  /// The epoch of the store that issued it.
  package var epoch: String
  /// The ``RegionScope/name`` of the regions of the reader.
  package var scope: String
  /// The revision up to which the reader has all changes.
  package var revision: Int64
  /// The revision of the store at the start of the first sync; 0 after that revision has been reached. The reader never had
  /// regions that were removed up to it.
  package var begin: Int64
  /// The nonce of the change with the revision. Another history has a different one.
  package var nonce: Int64

  package init(epoch: String, scope: String, revision: Int64, begin: Int64, nonce: Int64) {
    self.epoch = epoch
    self.scope = scope
    self.revision = revision
    self.begin = begin
    self.nonce = nonce
  }

  package init?(_ description: String) {
    let parts = description.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 5, let revision = RevisionNumber(parts[2]), let begin = RevisionNumber(parts[3]),
      let nonce = UInt64(parts[4], radix: 16)
    else { return nil }
    self.init(
      epoch: String(parts[0]), scope: String(parts[1]), revision: revision.value, begin: begin.value,
      nonce: Int64(bitPattern: nonce))
  }

  package var description: String {
    "\(epoch).\(scope).\(revision).\(begin).\(String(UInt64(bitPattern: nonce), radix: 16))"
  }
}
