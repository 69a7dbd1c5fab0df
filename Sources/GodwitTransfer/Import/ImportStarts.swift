internal import Foundation

/// Counts the starts of an import at one position that were ended by a crash of the process. A file that crashes the server
/// must not do so after every restart.
///
/// The count is in a file beside the uploaded one, because the process may crash before a transaction of the import.
struct ImportStarts {
  /// Starts at one position after which the import fails. Some of them may be caused by a power failure or an upgrade.
  static let maximum = 3

  private let file: URL

  private struct Count: Codable {
    var position: Int
    var starts: Int
  }

  /// - Parameter upload: the path of the uploaded file.
  init(upload: String) { file = URL(fileURLWithPath: Self.name(upload)) }

  /// The name of the file beside an uploaded one.
  static func name(_ upload: String) -> String { upload + ".starts" }

  /// Counts a start.
  /// - Parameter position: the position of the import in bytes.
  /// - Returns: whether the import may start.
  func begin(at position: Int) throws -> Bool {
    let known = (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode(Count.self, from: $0) }
    let starts = known.map { $0.position == position ? $0.starts : 0 } ?? 0
    guard starts < Self.maximum else { return false }
    try JSONEncoder().encode(Count(position: position, starts: starts + 1)).write(to: file, options: .atomic)
    return true
  }

  /// Resets the count after the import ended without a crash.
  func end() { try? FileManager.default.removeItem(at: file) }
}
