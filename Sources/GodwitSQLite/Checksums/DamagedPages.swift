internal import GodwitLocks

/// A part of a database that failed its checksum when this process read it.
package struct DamagedPage: Sendable, Hashable, CustomStringConvertible {
  package enum Place: Sendable, Hashable {
    /// A page of the database file, from 1.
    case page(UInt32)
    /// A frame of the write-ahead log, from 1; 0 is the header of the log.
    case frame(Int64)
  }

  /// The database file.
  package let path: String
  package let place: Place

  package var description: String {
    switch place {
    case .page(let number): "page \(number) fails its checksum"
    case .frame(0): "the header of the write-ahead log fails its checksum"
    case .frame(let number): "frame \(number) of the write-ahead log fails its checksum"
    }
  }
}

/// The last damaged page of each file. SQLite's error only reports that reading failed.
enum DamagedPages {
  private static let last = Mutex<[String: DamagedPage]>([:])

  static func record(_ page: DamagedPage) { last.withLock { $0[page.path] = page } }

  static func last(of path: String) -> DamagedPage? { last.withLock { $0[path] } }
}
