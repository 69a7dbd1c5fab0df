internal import Dispatch
internal import Synchronization

/// Decodes blocks for reads that consist of many pages. It caches the last table, because successive pages are often in the same
/// block. It decodes the next block on another thread while the current page is created.
///
/// The cache has two blocks with their tables, a few MB at most. Concurrent reads of different blocks are slower, but correct.
package final class LastTable: Sendable {
  private struct State {
    var last: Decoding?
    var next: Decoding?

    func cached(_ bytes: [UInt8], _ columns: Set<UInt8>) -> Decoding? {
      [last, next].compactMap { $0 }.first { $0.columns == columns && $0.bytes == bytes }
    }
  }

  private let state = Mutex(State())

  package init() {}

  /// Decodes a block as ``ColumnCodec/decode(_:columns:)``, unless it is cached. The cache compares the bytes of blocks, so a
  /// changed or damaged block is never confused with another.
  /// - Parameters:
  ///   - bytes: the whole block.
  ///   - columns: ids of the columns to decode.
  /// - Throws: `ColumnDamage`.
  package func decode(_ bytes: [UInt8], columns: Set<UInt8>) throws(ColumnDamage) -> ColumnTable {
    let known = state.withLock { $0 }
    let decoding = known.cached(bytes, columns) ?? Decoding(bytes, columns)
    state.withLock { state in
      state.last = decoding
      if state.next === decoding { state.next = nil }
    }
    return try decoding.result().get()
  }

  /// Starts to decode a block on another thread, unless it is cached: each of several pages in the block before it calls this.
  /// - Parameters:
  ///   - bytes: the whole block.
  ///   - columns: ids of the columns to decode.
  package func prepare(_ bytes: [UInt8], columns: Set<UInt8>) {
    let new = state.withLock { state -> Decoding? in
      if state.cached(bytes, columns) != nil { return nil }
      state.next = Decoding(bytes, columns)
      return state.next
    }
    if let new { DispatchQueue.global().async { new.run() } }
  }
}

/// A block that is decoded once, on the first thread that runs it.
private final class Decoding: Sendable {
  private enum State {
    case waiting, running
    case done(Result<ColumnTable, ColumnDamage>)
  }

  let bytes: [UInt8]
  let columns: Set<UInt8>
  private let state = Mutex(State.waiting)
  private let group = DispatchGroup()

  init(_ bytes: [UInt8], _ columns: Set<UInt8>) { (self.bytes, self.columns) = (bytes, columns) }

  /// Decodes the block, unless a thread has already started.
  func run() {
    let isFirst = state.withLock { state in
      guard case .waiting = state else { return false }
      state = .running
      group.enter()
      return true
    }
    guard isFirst else { return }
    let result = Result { () throws(ColumnDamage) in try ColumnCodec.decode(bytes, columns: columns) }
    state.withLock { $0 = .done(result) }
    group.leave()
  }

  /// Returns the table. Decodes the block on the calling thread unless another thread has started, so that the call does not wait
  /// for a free thread.
  func result() -> Result<ColumnTable, ColumnDamage> {
    run()
    group.wait()
    return state.withLock { state in
      guard case .done(let result) = state else { return .failure(ColumnDamage("it was not decoded")) }
      return result
    }
  }
}
