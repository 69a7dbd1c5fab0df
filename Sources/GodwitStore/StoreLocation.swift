internal import Foundation
public import GodwitPostgres

/// The location of a server's store.
public enum StoreLocation: Sendable, Hashable {
  /// The embedded store, in a local folder.
  case folder(String)
  /// A PostgreSQL database, which several servers may share.
  case postgres(PostgresAddress)

  /// Parses an argument: a folder's path, `sqlite:///FOLDER`, or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
  /// - Parameter text: the path or the URL.
  /// - Throws: ``StoreLocationError`` if it is neither.
  public init(_ text: String) throws(StoreLocationError) {
    guard let end = text.range(of: "://") else {
      guard !text.isEmpty else { throw StoreLocationError("It is empty. \(Self.expected)") }
      // A folder with such a name is certainly not intended.
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

  /// The form that the help shows.
  package static let shown = "sqlite:///FOLDER or postgres://USER:PASSWORD@HOST:PORT/DATABASE"
  private static let expected =
    "Expected a folder, such as /var/lib/godwit or sqlite:///var/lib/godwit, or postgres://USER:PASSWORD@HOST:PORT/DATABASE."

  /// Returns an invalid location for an error message, without the password that a URL may contain.
  package static func shown(_ text: String) -> String {
    guard let end = text.firstIndex(of: ":"), text.contains("@") || PostgresAddress.isAddress(text) else { return text }
    return text[..<end] + "://…"
  }

  /// Opens the store; creates it if it does not exist.
  /// - Parameters:
  ///   - pageCache: KiB of SQLite's page cache for writing.
  ///   - parts: the additions of the program.
  /// - Throws: an error of the database or the file system, whose description contains the remedy.
  package func open(pageCache: Int = SQLiteTrackStore.pageCache, parts: StoreParts) throws -> any StoreDatabase {
    switch self {
    case .folder(let path): try SQLiteTrackStore(folder: path, pageCache: pageCache, parts: parts)
    case .postgres(let address): try PostgresTrackStore(address, parts: parts)
    }
  }
}

extension StoreLocation: CustomStringConvertible {
  /// The location, without a password.
  public var description: String {
    switch self {
    case .folder(let path): path
    case .postgres(let address): address.description
    }
  }
}

/// An invalid location of a store.
public struct StoreLocationError: Error, Sendable, CustomStringConvertible {
  /// The fault, and the expected form.
  public let description: String
  init(_ description: String) { self.description = description }
}
