internal import Foundation
internal import Synchronization

/// Output of a command: results on standard output, messages on standard error.
package enum Output {
  /// Writes a result unchanged.
  package static func result(_ text: String) { write(Array(text.utf8), to: FileHandle.standardOutput) }

  package static func result(_ bytes: [UInt8]) { write(bytes, to: FileHandle.standardOutput) }

  /// Writes a message with a line break.
  package static func log(_ text: String) { write(Array((text + "\n").utf8), to: FileHandle.standardError) }

  /// Writes a prompt without a line break.
  package static func ask(_ text: String) { write(Array(text.utf8), to: FileHandle.standardError) }

  /// Whether standard error is a terminal.
  package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Replaces the progress line. Does nothing if standard error is not a terminal.
  package static func progress(_ text: String) {
    guard isTerminal else { return }
    hasProgress.store(true, ordering: .relaxed)
    write(Array(("\r\u{1B}[K" + text).utf8), to: FileHandle.standardError)
  }

  /// Ends the progress line with a line break. Does nothing if there is none.
  package static func endProgress() {
    if hasProgress.exchange(false, ordering: .relaxed) { write([0x0A], to: FileHandle.standardError) }
  }

  private static let hasProgress = Atomic(false)

  /// The error of standard output; `nil` if all results were written.
  package static var failure: OutputFailure? { state.withLock { $0 } }

  /// Closes standard output. Some file systems report a full disk only here.
  package static func finish() {
    if failure == nil, close(STDOUT_FILENO) != 0, errno == ENOSPC || errno == EDQUOT || errno == EIO { fail(errno) }
  }

  private static let state = Mutex<OutputFailure?>(nil)

  private static func fail(_ code: Int32) { state.withLock { if $0 == nil { $0 = OutputFailure(code: code) } } }

  private static func write(_ bytes: [UInt8], to handle: FileHandle) {
    let isResult = handle === FileHandle.standardOutput
    // Nothing is written after a failed write, so that the output has no gap.
    if isResult, failure != nil { return }
    guard let code = Descriptor.write(bytes, to: handle.fileDescriptor), isResult else { return }
    fail(code)
  }
}

/// An error of standard output.
package struct OutputFailure: Error, Sendable, CustomStringConvertible {
  /// The system's error number.
  package let code: Int32

  /// Whether the program that reads the results has ended (`godwit export … | head`), which is not an error.
  package var isClosed: Bool { code == EPIPE }

  package var description: String {
    let reason =
      code == ENOSPC || code == EDQUOT
      ? "the disk is full" : String(cString: strerror(code))
    return "standard output: \(reason). The results are incomplete; free some space, or write them to another disk, and "
      + "run the command again."
  }
}

/// Writes to a file descriptor.
private enum Descriptor {
  /// - Returns: The system's error number; `nil` if all bytes were written.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { buffer in
      var start = 0
      while start < buffer.count {
        let count = Foundation.write(descriptor, buffer.baseAddress?.advanced(by: start), buffer.count - start)
        if count > 0 {
          start += count
        } else if errno == EAGAIN {
          // Another program has set the terminal to non-blocking mode.
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
