#if os(Linux)
  internal import Glibc

  /// Small files of the kernel or the system, read without blocking.
  enum SystemFile {
    /// Returns the text without surrounding white space; `nil` if there is none or it is longer than `maximum` bytes.
    static func text(_ path: String, maximum: Int) -> String? {
      // Opening a FIFO in place of a file does not block.
      let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var bytes: [UInt8] = []
      while bytes.count <= maximum {
        let count = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
          let count = Glibc.read(file, buffer.baseAddress, buffer.count)
          if count > 0 { bytes += buffer.prefix(count) }
          return count
        }
        if count == 0 { break }
        if count < 0 {
          if errno == EINTR { continue }
          return nil
        }
      }
      guard bytes.count <= maximum else { return nil }
      // Texts of a device tree end with a zero byte.
      let isBlank: (UInt8) -> Bool = { $0 <= 0x20 }
      guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
      else { return nil }
      return String(decoding: bytes[first...last], as: UTF8.self)
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
    static func isProgram(_ path: String) -> Bool { access(path, X_OK) == 0 }
  }
#endif
