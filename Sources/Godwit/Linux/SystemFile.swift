#if os(Linux)
  internal import Glibc

  /// Files that the kernel or the system wrote: small, and without blocking on what is no file.
  enum SystemFile {
    /// The text without the white space around it; `nil` when there is none or it is longer than `most` bytes.
    static func text(_ path: String, most: Int) -> String? {
      // A pipe in place of a file gives an end, not a wait.
      let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var bytes: [UInt8] = []
      while bytes.count <= most {
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
      guard bytes.count <= most else { return nil }
      // Device trees end their texts with a zero.
      let isBlank: (UInt8) -> Bool = { $0 <= 0x20 }
      guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
      else { return nil }
      return String(decoding: bytes[first...last], as: UTF8.self)
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
    static func isProgram(_ path: String) -> Bool { access(path, X_OK) == 0 }
  }
#endif
