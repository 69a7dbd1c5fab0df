internal import Foundation

/// What a command says: results on standard output, notes on standard error.
enum Output {
  /// A result, as it stands.
  static func result(_ text: String) { write(Array(text.utf8), to: FileHandle.standardOutput) }

  static func result(_ bytes: [UInt8]) { write(bytes, to: FileHandle.standardOutput) }

  /// A sentence for a person, on a line of its own.
  static func note(_ text: String) { write(Array((text + "\n").utf8), to: FileHandle.standardError) }

  /// A question, without the end of its line.
  static func ask(_ text: String) { write(Array(text.utf8), to: FileHandle.standardError) }

  /// Whether a person sees what goes to standard error.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// One line that is written over and over; nothing where nobody looks.
  static func progress(_ text: String) {
    guard isTerminal else { return }
    write(Array(("\r\u{1B}[K" + text).utf8), to: FileHandle.standardError)
  }

  /// Ends the line of `progress`.
  static func endProgress() { if isTerminal { write([0x0A], to: FileHandle.standardError) } }

  private static func write(_ bytes: [UInt8], to handle: FileHandle) {
    // Nobody is left to tell when the reader has gone.
    _ = try? handle.write(contentsOf: bytes)
  }
}
