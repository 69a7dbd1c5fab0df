internal import Foundation

extension Backup {
  /// Reads a whole archive, and compares each file in it with its checksum.
  /// - Parameters:
  ///   - path: the path of the archive.
  ///   - passphrase: the passphrase of an encrypted archive; `nil`: the archive must not be encrypted.
  /// - Returns: the number of rows of each table, according to the archive.
  /// - Throws: ``Restore/InvalidBackup``, `TarError` or `EncryptionError`, with the fault of the archive.
  package static func check(_ path: String, passphrase: Passphrase? = nil) throws -> Summary {
    let tar = try TarReader(path, passphrase: passphrase)
    func refuse(_ reason: String) -> Restore.InvalidBackup { Restore.InvalidBackup(description: "\(path): \(reason)") }
    var sums: [String: String] = [:]
    var summary: Summary?
    while let file = try tar.next() {
      if sums.isEmpty, file.name != "manifest.json" { throw refuse("it is an archive, but not a backup of godwit.") }
      if file.name == Self.sums {
        guard let summary, try Restore.check(file.bytes, sums, path) else { break }
        return summary
      }
      sums[file.name] = SHA256Sum.text(of: file.bytes)
      if file.name == "rows.json", let rows = try? JSONDecoder().decode([String: Int].self, from: Data(file.bytes)) {
        summary = Summary(rows: rows)
      }
    }
    throw refuse("it is truncated. Use another copy.")
  }
}
