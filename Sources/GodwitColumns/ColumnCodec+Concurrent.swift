internal import Dispatch
internal import Synchronization

extension ColumnCodec {
  /// Encodes tables on another thread while `work` runs on the calling thread.
  /// - Returns: the block of each table.
  /// - Throws: the error of `work`, or `ColumnLimit` as ``encode(_:)`` does.
  package static func encode(_ tables: [ColumnTable], during work: () throws -> Void) throws -> [[UInt8]] {
    let encoding = BackgroundEncoding(tables)
    try work()
    return try encoding.blocks()
  }
}

private final class BackgroundEncoding: Sendable {
  private let group = DispatchGroup()
  private let result = Mutex<Result<[[UInt8]], ColumnLimit>>(.success([]))

  init(_ tables: [ColumnTable]) {
    DispatchQueue.global().async(group: group) { [self] in
      let blocks = Result { () throws(ColumnLimit) -> [[UInt8]] in
        var blocks: [[UInt8]] = []
        for table in tables { blocks.append(try ColumnCodec.encode(table)) }
        return blocks
      }
      result.withLock { $0 = blocks }
    }
  }

  func blocks() throws(ColumnLimit) -> [[UInt8]] {
    group.wait()
    return try result.withLock { $0 }.get()
  }
}
