internal import Dispatch
internal import Synchronization

/// Decodes blocks for readings of many pages. It keeps the last table, because successive pages are often of one block, and decodes the
/// next block on another thread while a page is made of the one before.
///
/// It keeps two blocks with their tables, some MB at most. Readings of different blocks at the same time lose only speed.
package final class LastTable: Sendable {
  private struct State {
    var last: Decoding?
    var next: Decoding?
  }

  private let state = Mutex(State())

  package init() {}

  /// Decodes a block as ``ColumnCodec/decode(_:columns:)``, unless it is known: a table belongs to the bytes of its block, so that neither a
  /// changed nor a damaged block is taken for another one.
  /// - Parameters:
  ///   - bytes: the whole block.
  ///   - columns: ids of the columns that are decoded.
  /// - Throws: `ColumnDamage`.
  package func decode(_ bytes: [UInt8], columns: Set<UInt8>) throws(ColumnDamage) -> ColumnTable {
    let known = state.withLock { [$0.last, $0.next] }
    let found = known.compactMap { $0 }.first { $0.columns == columns && $0.bytes == bytes }
    let decoding = found ?? Decoding(bytes, columns)
    state.withLock { state in
      state.last = decoding
      if state.next === decoding { state.next = nil }
    }
    return try decoding.result().get()
  }

  /// Begins to decode a block on another thread.
  /// - Parameters:
  ///   - bytes: the whole block.
  ///   - columns: ids of the columns that are decoded.
  package func prepare(_ bytes: [UInt8], columns: Set<UInt8>) {
    let decoding = Decoding(bytes, columns)
    state.withLock { $0.next = decoding }
    DispatchQueue.global().async { decoding.run() }
  }
}

/// A block that is decoded once, on the first thread that gets to it.
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

  /// Decodes the block, unless a thread has begun to.
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

  /// The table. It is decoded here unless another thread has begun, so that no call waits for a thread that is not free.
  func result() -> Result<ColumnTable, ColumnDamage> {
    run()
    group.wait()
    return state.withLock { state in
      guard case .done(let result) = state else { return .failure(ColumnDamage("it was not decoded")) }
      return result
    }
  }
}
