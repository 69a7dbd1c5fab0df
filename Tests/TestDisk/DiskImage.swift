/// The content of a file in blocks, which copies share.
struct DiskImage: Sendable {
  private static let blockSize = 4096
  private(set) var size = 0
  private var blocks: [[UInt8]] = []

  init() {}

  init(_ bytes: [UInt8]) { write(bytes[...], at: 0) }

  /// All bytes of the file.
  var bytes: [UInt8] { read(0..<size) }

  /// Writes bytes. A gap before them is filled with zeros.
  mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int) {
    if offset + bytes.count > size { truncate(to: offset + bytes.count) }
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let (block, place) = (offset + start - bytes.startIndex).quotientAndRemainder(dividingBy: Self.blockSize)
      let count = min(Self.blockSize - place, bytes.endIndex - start)
      blocks[block].replaceSubrange(place..<place + count, with: bytes[start..<start + count])
      start += count
    }
  }

  /// Sets the size; new bytes are zeros.
  mutating func truncate(to size: Int) {
    let count = (size + Self.blockSize - 1) / Self.blockSize
    if count < blocks.count { blocks.removeLast(blocks.count - count) }
    while blocks.count < count { blocks.append([UInt8](repeating: 0, count: Self.blockSize)) }
    // Bytes after the end are set to zero, in case the file grows again.
    let used = size % Self.blockSize
    if size < self.size, used > 0, let last = blocks.indices.last {
      blocks[last].replaceSubrange(used..., with: repeatElement(0, count: Self.blockSize - used))
    }
    self.size = size
  }

  /// Returns the bytes of a range, up to the end of the file.
  func read(_ range: Range<Int>) -> [UInt8] {
    var result: [UInt8] = []
    var place = range.lowerBound
    let end = min(range.upperBound, size)
    result.reserveCapacity(max(0, end - place))
    while place < end {
      let (block, start) = place.quotientAndRemainder(dividingBy: Self.blockSize)
      let count = min(Self.blockSize - start, end - place)
      result += blocks[block][start..<start + count]
      place += count
    }
    return result
  }
}
