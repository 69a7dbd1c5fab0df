internal import Foundation

/// Counts how often an import began at one position and never ended, because the process did: a file that ends the server must not do so
/// after every restart.
///
/// The count is in a file beside the uploaded one, since a transaction of the import may be what is not reached.
struct ImportStarts {
  /// Starts at one position after which an import fails: a power cut or an upgrade may be the reason of some.
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
  /// - Parameter position: how far the import is.
  /// - Returns: whether the import may start.
  func begin(at position: Int) throws -> Bool {
    let known = (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode(Count.self, from: $0) }
    let starts = known.map { $0.position == position ? $0.starts : 0 } ?? 0
    guard starts < Self.maximum else { return false }
    try JSONEncoder().encode(Count(position: position, starts: starts + 1)).write(to: file, options: .atomic)
    return true
  }

  /// The import ended, or waits.
  func end() { try? FileManager.default.removeItem(at: file) }
}
