package import Foundation
internal import GodwitModel
package import GodwitStore

/// Writes a backup: an archive of all data in a store, which can be restored into a store of either kind. The archive is a
/// `.tar.zst` with a manifest, a file for every few MiB of each table, and their SHA-256 sums.
///
/// The store is read in one transaction, so that the backup is consistent while other programs write.
package struct Backup {
  /// The version of the archive. A program reads its own version and older ones.
  package static let version = 2
  /// The version of archives that development builds wrote.
  static let formerVersion = 1
  package static let format = "godwit backup"
  private static let pageSize = 10_000
  /// Bytes of a file in the archive.
  private static let partSize = 4 << 20

  package struct Manifest: Codable {
    package var format: String
    package var version: Int
    /// The version of the program that wrote the archive.
    package var godwit: String
    package var created: String
    /// The columns of each table.
    package var tables: [String: [String]]
  }

  /// The content of an archive.
  package struct Summary: Sendable {
    /// The number of rows of each table.
    package var rows: [String: Int] = [:]
    /// The names of files of the data folder.
    package var files: [String] = []
    /// A summary for users.
    package var description: String {
      let (devices, points) = (rows["devices"] ?? 0, rows["points"] ?? 0)
      let total = rows.values.reduce(0, +)
      return "\(devices.counted("device")), \(points.counted("point")), \(total.counted("row")) in all"
    }
  }

  /// Files of a data folder that belong to a backup.
  package static let files = [tokenFile]

  static let tokenFile = "admin-token"

  /// Returns the current name of a file in a data folder or in a backup. Development builds used other names.
  static func currentName(ofFile name: String) -> String { name == "owner-token" ? tokenFile : name }

  private let store: any StoreDatabase
  private let folder: String?

  /// - Parameters:
  ///   - store: the store to back up.
  ///   - folder: the data folder, with the administrator token; `nil`: there is none.
  package init(of store: any StoreDatabase, folder: String?) {
    self.store = store
    self.folder = folder
  }

  /// Writes the archive.
  /// - Parameters:
  ///   - path: the path of the archive. An existing file is replaced after the new archive is complete and was verified.
  ///   - now: the time.
  ///   - passphrase: encrypts the archive; `nil`: it is not encrypted.
  ///   - cost: the cost of deriving the key from the passphrase.
  ///   - progress: called with the number of written rows.
  /// - Throws: an error of the store or of the file system.
  package func write(
    to path: String, at now: Date, passphrase: Passphrase? = nil, cost: KeyCost = .standard, progress: (Int) -> Void = { _ in }
  ) throws -> Summary {
    let tar = try TarWriter(path, time: Int(now.timeIntervalSince1970), passphrase: passphrase, cost: cost)
    let manifest = Manifest(
      format: Self.format, version: Self.version, godwit: Version.current, created: RFC3339.string(now),
      tables: Dictionary(uniqueKeysWithValues: BackupTable.all.map { ($0.name, $0.columns.map(\.name)) }))
    try tar.add("manifest.json", Self.json(manifest))
    var summary = Summary()
    try store.read { db in
      var total = 0
      for table in BackupTable.all {
        summary.rows[table.name] = try Self.write(table, db, to: tar) {
          total += $0
          progress(total)
        }
      }
    }
    for name in Self.files {
      guard let folder, let contents = FileManager.default.contents(atPath: folder + "/" + name) else { continue }
      try tar.add("files/" + name, Array(contents))
      summary.files.append(name)
    }
    try tar.add("rows.json", Self.json(summary.rows))
    // This is the last file: an archive that contains it is complete.
    try tar.add(Self.sums, Array(tar.sums.utf8), isSummed: false)
    try tar.finish { _ = try Self.check($0, passphrase: passphrase) }
    if let folder { DatabaseCopies.add(path, of: folder, at: now) }
    return summary
  }

  package static let sums = "SHA256SUMS"

  private static func write(
    _ table: BackupTable, _ db: any SQLConnection, to tar: TarWriter, _ progress: (Int) -> Void
  ) throws -> Int {
    var (last, count, part): ([SQLArgument]?, Int, Int) = (nil, 0, 0)
    var bytes: [UInt8] = []
    func flush() throws {
      guard !bytes.isEmpty else { return }
      part += 1
      let number = String(part)
      try tar.add("tables/\(table.name)/\(String(repeating: "0", count: max(0, 6 - number.count)))\(number).jsonl", bytes)
      bytes.removeAll(keepingCapacity: true)
    }
    while true {
      var (found, newest): (Int, [SQLArgument]?) = (0, nil)
      func handle(_ row: [SQLArgument]) throws {
        found += 1
        newest = row
        BackupRow.append(row, to: &bytes)
        if bytes.count >= partSize { try flush() }
      }
      if table.name == BackupPoints.table.name {
        try BackupPoints.rows(after: last, limit: pageSize, db, handle)
      } else {
        try table.rows(after: last, limit: pageSize, db, handle)
      }
      count += found
      progress(found)
      guard found == pageSize, let newest else { break }
      last = table.key(of: newest)
    }
    try flush()
    return count
  }

  private static func json(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return Array(try encoder.encode(value)) + [0x0A]
  }
}
