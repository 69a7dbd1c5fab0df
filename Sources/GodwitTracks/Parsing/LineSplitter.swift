/// Splits bytes that arrive in pieces into lines, and counts the lines. A line ends with LF, CR LF, or CR as on old Macs. A line of
/// more than `maximum` bytes is split into several lines.
package struct LineSplitter {
  private let maximum: Int
  private var rest: [UInt8] = []
  private(set) var line: Int
  /// Offset of the current line in bytes.
  private(set) var offset: Int

  /// - Parameters:
  ///   - maximum: Maximum bytes of a line.
  ///   - state: Start of the first line.
  package init(maximum: Int = 4096, from state: LineState = LineState()) {
    self.maximum = maximum
    line = state.line
    offset = state.byte
  }

  /// Start of the incomplete line.
  package var state: LineState { LineState(byte: offset, line: line) }

  package mutating func feed(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>, _ line: Int, _ byte: Int) -> Void
  ) {
    var start = 0
    var index = 0
    if rest.last == 0x0D, let first = bytes.first, first != 0x0A {
      give(UnsafeBufferPointer(start: nil, count: 0), ending: 0, body)
    }
    while index < bytes.count {
      let byte = bytes[index]
      // A CR at the end of a piece waits for the next byte.
      let isEnd = byte == 0x0A || (byte == 0x0D && index + 1 < bytes.count && bytes[index + 1] != 0x0A)
      if isEnd || rest.count + index - start >= maximum {
        give(UnsafeBufferPointer(rebasing: bytes[start..<index]), ending: isEnd ? 1 : 0, body)
        start = isEnd ? index + 1 : index
      }
      index += 1
    }
    rest.append(contentsOf: bytes[start...])
  }

  package mutating func finish(_ body: (UnsafeBufferPointer<UInt8>, _ line: Int, _ byte: Int) -> Void) {
    if !rest.isEmpty { give(UnsafeBufferPointer(start: nil, count: 0), ending: 0, body) }
  }

  private mutating func give(
    _ end: UnsafeBufferPointer<UInt8>, ending: Int, _ body: (UnsafeBufferPointer<UInt8>, Int, Int) -> Void
  ) {
    line += 1
    let count = rest.count + end.count
    if rest.isEmpty {
      body(Self.trimmingCarriageReturn(end), line, offset)
    } else {
      rest.append(contentsOf: end)
      rest.withUnsafeBufferPointer { body(Self.trimmingCarriageReturn($0), line, offset) }
      rest.removeAll(keepingCapacity: true)
    }
    offset += count + ending
  }

  private static func trimmingCarriageReturn(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    bytes.last == 0x0D ? UnsafeBufferPointer(rebasing: bytes.dropLast()) : bytes
  }
}
