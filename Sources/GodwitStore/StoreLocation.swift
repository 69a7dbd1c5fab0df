internal import Foundation
public import GodwitPostgres

/// Where a server's store is.
public enum StoreLocation: Sendable, Hashable {
  /// The embedded store, in a folder of this machine.
  case folder(String)
  /// A PostgreSQL database, which several servers may share.
  case postgres(PostgresAddress)

  /// Reads an argument: a folder's path, `sqlite:///FOLDER`, or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
  /// - Parameter text: the path or the URL.
  /// - Throws: ``StoreLocationError`` when it is neither.
  public init(_ text: String) throws(StoreLocationError) {
    guard let end = text.range(of: "://") else {
      guard !text.isEmpty else { throw StoreLocationError("It is empty. \(Self.expected)") }
      // No folder is meant to have such a name.
      if let scheme = ["sqlite:", "postgres:", "postgresql:", "file:"].first(where: text.lowercased().hasPrefix) {
        throw StoreLocationError("After \(scheme) two slashes are missing. \(Self.expected)")
      }
      self = .folder(text)
      return
    }
    if PostgresAddress.isAddress(text) {
      do { self = .postgres(try PostgresAddress(text)) } catch { throw StoreLocationError(error.message) }
      return
    }
    let scheme = text[..<end.lowerBound].lowercased()
    guard scheme == "sqlite" else { throw StoreLocationError("\(scheme):// is unknown. \(Self.expected)") }
    let path = String(text[end.upperBound...])
    guard path.hasPrefix("/"), path.count > 1 else {
      throw StoreLocationError("sqlite:// names no folder: three slashes begin its path, as in sqlite:///var/lib/godwit.")
    }
    self = .folder(path.removingPercentEncoding ?? path)
  }

  /// How the help shows it.
  package static let shown = "sqlite:///FOLDER or postgres://USER:PASSWORD@HOST:PORT/DATABASE"
  private static let expected =
    "Expected a folder, such as /var/lib/godwit or sqlite:///var/lib/godwit, or postgres://USER:PASSWORD@HOST:PORT/DATABASE."

  /// A text that names no store, as an error may show it: an address of a database may have a password in it.
  package static func shown(_ text: String) -> String {
    guard let end = text.firstIndex(of: ":"), text.contains("@") || PostgresAddress.isAddress(text) else { return text }
    return text[..<end] + "://…"
  }

  /// Opens the store, or makes it where there is none.
  /// - Parameters:
  ///   - pageCache: KiB of pages that SQLite keeps in memory for writing.
  ///   - parts: what the program adds.
  /// - Throws: what the database or the file system refuses, as errors that say what to do.
  package func open(pageCache: Int = SQLiteTrackStore.pageCache, parts: StoreParts) throws -> any StoreDatabase {
    switch self {
    case .folder(let path): try SQLiteTrackStore(folder: path, pageCache: pageCache, parts: parts)
    case .postgres(let address): try PostgresTrackStore(address, parts: parts)
    }
  }
}

extension StoreLocation: CustomStringConvertible {
  /// As it is written; without a password.
  public var description: String {
    switch self {
    case .folder(let path): path
    case .postgres(let address): address.description
    }
  }
}

/// A text that names no store.
public struct StoreLocationError: Error, Sendable, CustomStringConvertible {
  /// What is wrong, and what is expected.
  public let description: String
  init(_ description: String) { self.description = description }
}
