#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Bytes with random access: a file, or memory that never changes.
package protocol ByteSource: Sendable {
  /// The number of bytes.
  var count: Int { get }

  /// Reads bytes.
  /// - Parameter range: a range within `0..<count`; any other range throws ``TileArchiveError/ended``.
  /// - Throws: `ended` if the source has become shorter; `unreadable` with the system's message if it cannot be read.
  func bytes(in range: Range<Int>) throws(TileArchiveError) -> [UInt8]
}

/// Memory that exists as long as the process, such as a file inside the executable.
// The memory is never written.
package struct StaticBytes: ByteSource, @unchecked Sendable {
  private let memory: UnsafeRawBufferPointer

  package init(_ memory: UnsafeRawBufferPointer) { self.memory = memory }

  package var count: Int { memory.count }

  package func bytes(in range: Range<Int>) throws(TileArchiveError) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= memory.count else { throw .ended }
    return Array(memory[range])
  }
}

/// A file that is open for reading as long as the value exists. Several threads may read at the same time.
package final class FileBytes: ByteSource {
  private let descriptor: Int32
  package let count: Int

  /// Opens a file.
  /// - Throws: ``TileArchiveError/unreadable`` with the system's message.
  package init(path: String) throws(TileArchiveError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw .unreadable(reason)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .unreadable("it is not a file")
    }
    count = Int(status.st_size)
  }

  deinit { close(descriptor) }

  package func bytes(in range: Range<Int>) throws(TileArchiveError) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= count else { throw .ended }
    var failure: TileArchiveError?
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
      while filled < range.count, let base = buffer.baseAddress {
        let count = pread(descriptor, base + filled, range.count - filled, off_t(range.lowerBound + filled))
        if count > 0 {
          filled += count
        } else if count == 0 {
          failure = .ended
          return
        } else if errno != EINTR {
          failure = .unreadable(String(cString: strerror(errno)))
          return
        }
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
