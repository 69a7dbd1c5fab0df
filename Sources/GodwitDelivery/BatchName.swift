internal import GodwitEngine
internal import GodwitModel
internal import GodwitWire

/// Identifies a batch over launches of a program, so that a later launch can find out whether it would send the same one.
struct BatchName: Hashable {
  var endpoint: String
  /// Numbers in the journal.
  var from: Int64
  var through: Int64
  /// Records of the journal between them, with those that the endpoint does not get.
  var rows: Int
  /// Of the endpoint's address and format, and of each record's identifier.
  private var digest: UInt64

  init(_ endpoint: Endpoint, from: Int64, through: Int64, rows: Int, records: [RecordID?]) {
    self.endpoint = endpoint.id.name
    (self.from, self.through, self.rows) = (from, through, rows)
    // FNV-1a: the names of one device's own uploads need no cryptographic digest.
    digest = 0xcbf2_9ce4_8422_2325
    let parts =
      [endpoint.address.text, "\(type(of: endpoint.format))", "\(endpoint.trust)"]
      + records.map { $0.map { "\(RecordID.text(ofJournal: $0.journal)):\($0.sequence.value)" } ?? "" }
    for part in parts {
      for byte in Array(part.utf8) + [0] { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
  }

  /// `nil`: not a name of this version.
  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5, let from = Int64(parts[0]), let through = Int64(parts[1]), let rows = Int(parts[2]), rows > 0,
      let digest = UInt64(parts[3], radix: 16)
    else { return nil }
    (endpoint, self.from, self.through, self.rows, self.digest) = (String(parts[4]), from, through, rows, digest)
  }

  var text: String { "\(from) \(through) \(rows) \(String(digest, radix: 16)) \(endpoint)" }
}
