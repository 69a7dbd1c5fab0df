internal import CZlib

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The reason why a file is not a valid road graph.
package enum RoadGraphError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The error message of the system.
  case unreadable(String)
  case notRoads
  case otherVersion(UInt32)
  /// Description of the damage.
  case damaged(String)

  package var description: String {
    switch self {
    case .unreadable(let reason): reason
    case .notRoads: "the file has no roads; godwit roads makes such a file from an extract of OpenStreetMap"
    case .otherVersion(let version):
      "the file has version \(version) of the format, and this program reads \(RoadGraphHeader.version); make it again with godwit roads"
    case .damaged(let what): "the file is damaged: \(what); make it again with godwit roads"
    }
  }
}

/// The header of a file with the sizes of its sections. All numbers are little-endian.
struct RoadGraphHeader {
  static let magic: [UInt8] = Array("GODWITRD".utf8)
  static let version: UInt32 = 1
  static let size = 64

  var nodes = 0
  var edges = 0
  var shapePoints = 0
  var leaving = 0
  /// A power of two, or 0.
  var cells = 0
  var cellEdges = 0
  var checksum: UInt32 = 0

  /// Offset of each section, followed by the size of the file.
  var offsets: [Int] {
    let sizes = [nodes * 8, edges * 20, shapePoints * 8, (nodes + 1) * 4, leaving * 4, cells * 16, cellEdges * 4]
    var offsets = [Self.size]
    for size in sizes { offsets.append(offsets[offsets.count - 1] + (size + 7) / 8 * 8) }
    return offsets
  }

  func write(to bytes: UnsafeMutableRawBufferPointer) {
    bytes.copyBytes(from: Self.magic)
    let counts = [Int(Self.version), Int(checksum), nodes, edges, shapePoints, leaving, cells, cellEdges]
    for (index, count) in counts.enumerated() {
      bytes.storeBytes(of: UInt32(truncatingIfNeeded: count).littleEndian, toByteOffset: 8 + 4 * index, as: UInt32.self)
    }
  }

  init() {}

  /// - Parameters:
  ///   - bytes: The first bytes of a file.
  ///   - size: Size of the file in bytes.
  init(_ bytes: UnsafeRawBufferPointer, size: Int) throws(RoadGraphError) {
    guard bytes.count >= Self.size, bytes.prefix(8).elementsEqual(Self.magic) else { throw .notRoads }
    func number(_ index: Int) -> UInt32 {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 + 4 * index, as: UInt32.self))
    }
    guard number(0) == Self.version else { throw .otherVersion(number(0)) }
    checksum = number(1)
    (nodes, edges, shapePoints) = (Int(number(2)), Int(number(3)), Int(number(4)))
    (leaving, cells, cellEdges) = (Int(number(5)), Int(number(6)), Int(number(7)))
    guard offsets[7] == size else { throw .damaged("it has \(size) bytes instead of \(offsets[7])") }
  }
}

extension RoadGraph {
  /// Opens a file. The whole file is read once for validation. After that the system caches the pages that searches use.
  /// - Throws: ``RoadGraphError`` if the file cannot be read, is not a road graph, or was modified.
  package init(path: String) throws(RoadGraphError) {
    let (descriptor, size) = try Self.openFile(path)
    defer { close(descriptor) }
    guard size >= RoadGraphHeader.size else { throw .notRoads }
    let address = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0)
    guard let address, address != MAP_FAILED else { throw .unreadable(String(cString: strerror(errno))) }
    try self.init(
      RoadMemory(UnsafeRawBufferPointer(start: address, count: size)) { bytes in
        munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
      })
  }

  private static func openFile(_ path: String) throws(RoadGraphError) -> (descriptor: Int32, size: Int) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
    var status = stat()
    let reason = fstat(descriptor, &status) == 0 ? "it is not a file" : String(cString: strerror(errno))
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .unreadable(reason)
    }
    return (descriptor, Int(status.st_size))
  }

  /// Returns the checksum in the header of a file, and the file's size. The content is not validated.
  /// - Throws: ``RoadGraphError`` if the file cannot be read or is not a road graph.
  package static func stamp(path: String) throws(RoadGraphError) -> (checksum: UInt32, bytes: Int) {
    let (descriptor, size) = try openFile(path)
    defer { close(descriptor) }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: RoadGraphHeader.size, alignment: 8)
    defer { bytes.deallocate() }
    guard pread(descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count else { throw .notRoads }
    return (try RoadGraphHeader(UnsafeRawBufferPointer(bytes), size: size).checksum, size)
  }

  /// Creates a graph from memory with the content of a file.
  init(_ memory: RoadMemory) throws(RoadGraphError) {
    let header = try RoadGraphHeader(memory.bytes, size: memory.bytes.count)
    guard Self.checksum(of: memory.bytes) == header.checksum else { throw .damaged("its checksum is wrong") }
    self.init(memory, header)
    try check()
  }

  /// Creates a graph from the memory of a writer, without validation.
  init(_ memory: RoadMemory, _ header: RoadGraphHeader) {
    let offsets = header.offsets
    func section<T>(_ index: Int, _ count: Int) -> UnsafeBufferPointer<T> {
      // Each section starts at a multiple of eight, which is a valid alignment for all types.
      UnsafeBufferPointer(
        start: memory.bytes.baseAddress?.advanced(by: offsets[index]).assumingMemoryBound(to: T.self), count: count)
    }
    self.memory = memory
    checksum = header.checksum
    nodes = section(0, header.nodes)
    edges = section(1, header.edges)
    shapePoints = section(2, header.shapePoints)
    firstLeaving = section(3, header.nodes + 1)
    leaving = section(4, header.leaving)
    cells = section(5, header.cells)
    cellEdges = section(6, header.cellEdges)
  }

  /// Returns the checksum of the bytes after the header.
  static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    var sum = crc32(0, nil, 0)
    var rest = bytes[RoadGraphHeader.size...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
      sum = crc32(sum, piece.baseAddress?.assumingMemoryBound(to: Bytef.self), uInt(piece.count))
      rest = rest.dropFirst(piece.count)
    }
    return UInt32(truncatingIfNeeded: sum)
  }

  /// Checks that all indices are in the range of their sections, so that searches need no checks.
  private func check() throws(RoadGraphError) {
    guard cells.count & (cells.count - 1) == 0 else { throw .damaged("its grid has \(cells.count) cells") }
    guard cells.isEmpty || cells.contains(where: { $0.row == Cell.emptyRow }) else { throw .damaged("its grid is full") }
    var shape: UInt32 = 0
    for edge in edges {
      guard Int(edge.from) < nodes.count, Int(edge.to) < nodes.count, edge.firstShapePoint >= shape,
        Int(edge.firstShapePoint) <= shapePoints.count, edge.length.isFinite, edge.length >= 0
      else { throw .damaged("an edge has no end") }
      shape = edge.firstShapePoint
    }
    var first: UInt32 = 0
    for next in firstLeaving {
      guard next >= first, Int(next) <= leaving.count else { throw .damaged("a node has no edges") }
      first = next
    }
    guard leaving.allSatisfy({ Int($0 >> 1) < edges.count }), cellEdges.allSatisfy({ Int($0) < edges.count }),
      cells.allSatisfy({ $0.row == Cell.emptyRow || Int($0.first) + Int($0.count) <= cellEdges.count }),
      nodes.allSatisfy({ $0.coordinate != nil }), shapePoints.allSatisfy({ $0.coordinate != nil })
    else { throw .damaged("a number is out of range") }
  }

  /// Writes the graph to a file atomically.
  package func write(to path: String) throws(RoadGraphError) {
    let temporary = path + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
    var rest = memory.bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 26))
      let written = Self.writeBytes(descriptor, piece)
      guard written > 0 else {
        if written < 0, errno == EINTR { continue }
        throw Self.failure(closing: descriptor, removing: temporary)
      }
      rest = rest.dropFirst(written)
    }
    guard fsync(descriptor) == 0 else { throw Self.failure(closing: descriptor, removing: temporary) }
    close(descriptor)
    guard rename(temporary, path) == 0 else {
      let reason = String(cString: strerror(errno))
      unlink(temporary)
      throw .unreadable(reason)
    }
  }

  private static func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
      Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Glibc)
      Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }

  private static func failure(closing descriptor: Int32, removing path: String) -> RoadGraphError {
    let reason = String(cString: strerror(errno))
    close(descriptor)
    unlink(path)
    return .unreadable(reason)
  }
}
