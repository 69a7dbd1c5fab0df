internal import Synchronization

/// Where the bytes of a long answer come from, piece by piece.
package final class StreamingBody: Sendable {
  private struct Source {
    let next: () throws -> [UInt8]?
  }
  private let source: Mutex<Source?>

  /// - Parameter next: the next bytes; `nil` at the end. Called by one thread at a time, whichever.
  package init(_ next: sending @escaping () throws -> [UInt8]?) { source = Mutex(Source(next: next)) }

  /// The next bytes; `nil` at the end. - Throws: what went wrong; the answer ends in the middle.
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
