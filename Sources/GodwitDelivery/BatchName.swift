internal import GodwitEngine
internal import GodwitModel
internal import GodwitWire

/// Identifies a batch across launches of a program, so that a later launch can determine whether it would send the same batch.
struct BatchName: Hashable {
  var endpoint: String
  /// The first sequence number of the journal that the batch covers.
  var from: Int64
  var through: Int64
  /// The number of records of the journal between these numbers, including those that the endpoint does not get.
  var rows: Int
  /// A digest of the address and the format of the endpoint, and of the identifier of each record.
  private var digest: UInt64

  init(_ endpoint: Endpoint, from: Int64, through: Int64, rows: Int, records: [RecordID?]) {
    self.endpoint = endpoint.id.name
    (self.from, self.through, self.rows) = (from, through, rows)
    // FNV-1a. The names only have to distinguish the uploads of one device, so no cryptographic digest is needed.
    digest = 0xcbf2_9ce4_8422_2325
    let parts =
      [endpoint.address.text, "\(type(of: endpoint.format))", "\(endpoint.trust)"]
      + records.map { $0.map { "\(RecordID.text(ofJournal: $0.journal)):\($0.sequence.value)" } ?? "" }
    for part in parts {
      for byte in Array(part.utf8) + [0] { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
  }

  /// Reads a name; `nil`: not a name of this version.
  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5, let from = Int64(parts[0]), let through = Int64(parts[1]), let rows = Int(parts[2]), rows > 0,
      let digest = UInt64(parts[3], radix: 16)
    else { return nil }
    (endpoint, self.from, self.through, self.rows, self.digest) = (String(parts[4]), from, through, rows, digest)
  }

  var text: String { "\(from) \(through) \(rows) \(String(digest, radix: 16)) \(endpoint)" }
}
