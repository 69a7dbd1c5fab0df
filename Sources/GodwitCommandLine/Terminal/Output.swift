internal import Foundation
internal import Synchronization

/// What a command says: results on standard output, notes on standard error.
package enum Output {
  /// A result, as it stands.
  package static func result(_ text: String) { write(Array(text.utf8), to: FileHandle.standardOutput) }

  package static func result(_ bytes: [UInt8]) { write(bytes, to: FileHandle.standardOutput) }

  /// A sentence for a person, on a line of its own.
  package static func log(_ text: String) { write(Array((text + "\n").utf8), to: FileHandle.standardError) }

  /// A question, without the end of its line.
  package static func ask(_ text: String) { write(Array(text.utf8), to: FileHandle.standardError) }

  /// Whether a person sees what goes to standard error.
  package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// One line that is written over and over; nothing where standard error is no terminal.
  package static func progress(_ text: String) {
    guard isTerminal else { return }
    write(Array(("\r\u{1B}[K" + text).utf8), to: FileHandle.standardError)
  }

  /// Ends the line of `progress`.
  package static func endProgress() { if isTerminal { write([0x0A], to: FileHandle.standardError) } }

  /// Why standard output did not take all results; `nil`: it took them.
  package static var failure: OutputFailure? { state.withLock { $0 } }

  /// Closes standard output. A file system may report only here that there was no room.
  package static func finish() {
    if failure == nil, close(STDOUT_FILENO) != 0, errno == ENOSPC || errno == EDQUOT || errno == EIO { fail(errno) }
  }

  private static let state = Mutex<OutputFailure?>(nil)

  private static func fail(_ code: Int32) { state.withLock { if $0 == nil { $0 = OutputFailure(code: code) } } }

  private static func write(_ bytes: [UInt8], to handle: FileHandle) {
    let isResult = handle === FileHandle.standardOutput
    // Nothing behind a gap: what was written before it stays usable.
    if isResult, failure != nil { return }
    guard let code = Descriptor.write(bytes, to: handle.fileDescriptor), isResult else { return }
    fail(code)
  }
}

/// Standard output did not take a result.
package struct OutputFailure: Error, Sendable, CustomStringConvertible {
  /// The system's error number.
  package let code: Int32

  /// The program that read the results has ended (`godwit export … | head`), which is no fault.
  package var isClosed: Bool { code == EPIPE }

  package var description: String {
    let reason =
      code == ENOSPC || code == EDQUOT
      ? "the disk is full" : String(cString: strerror(code))
    return "standard output: \(reason). The results are incomplete; free some space, or write them to another disk, and "
      + "run the command again."
  }
}

/// Writes to a descriptor of the system.
private enum Descriptor {
  /// - Returns: the system's error number; `nil`: all bytes are written.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { buffer in
      var start = 0
      while start < buffer.count {
        let count = Foundation.write(descriptor, buffer.baseAddress?.advanced(by: start), buffer.count - start)
        if count > 0 {
          start += count
        } else if errno == EAGAIN {
          // A terminal that another program has made non-blocking.
          var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&request, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return nil
    }
  }
}
