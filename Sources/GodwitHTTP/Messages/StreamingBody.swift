internal import Synchronization

/// The source of a long response body, which is read piece by piece.
package final class StreamingBody: Sendable {
  private struct Source {
    let next: () throws -> [UInt8]?
  }
  private let source: Mutex<Source?>

  /// - Parameter next: returns the next bytes; `nil` at the end. Not called concurrently, but on any thread.
  package init(_ next: sending @escaping () throws -> [UInt8]?) { source = Mutex(Source(next: next)) }

  /// Returns the next bytes, which are never empty; `nil` at the end.
  ///
  /// - Throws: the error of the source; the response is then incomplete.
  package func next() throws -> [UInt8]? {
    try source.withLock { source in
      while let found = source {
        do {
          guard let bytes = try found.next() else { break }
          if !bytes.isEmpty { return bytes }
        } catch {
          source = nil
          throw error
        }
      }
      source = nil
      return nil
    }
  }
}
