import Foundation

/// A script that runs a server for tests. It reads commands, responds to each with a line, and ends when the test process ends for any
/// reason.
public struct Supervisor: Sendable {
  private let commands: FileHandle
  private let responses: FileHandle

  /// Starts the script.
  /// - Parameters:
  ///   - script: the script, for bash.
  ///   - arguments: the arguments of the script.
  ///   - drop: a program and its arguments that start the script with fewer privileges.
  public init(_ script: String, _ arguments: [String], drop: [String] = []) throws {
    let (commands, responses) = (Pipe(), Pipe())
    _ = try ChildProcess(
      "/usr/bin/env", drop + ["bash", "-c", "cd /\n" + script, "keeper"] + arguments,
      input: commands.fileHandleForReading.fileDescriptor, output: responses.fileHandleForWriting.fileDescriptor, error: 2)
    // Closes the ends of the pipes that belong to the script. Otherwise neither process would detect the end of the other.
    try commands.fileHandleForReading.close()
    try responses.fileHandleForWriting.close()
    self.commands = commands.fileHandleForWriting
    self.responses = responses.fileHandleForReading
  }

  /// Sends a command, and returns the response of the script.
  public func ask(_ command: String) throws -> String {
    try commands.write(contentsOf: Data((command + "\n").utf8))
    return line()
  }

  /// Returns the next line of the script; if the script has ended, the incomplete line or an empty text.
  public func line() -> String {
    // The reading methods of FileHandle end the process when a signal interrupts them.
    var line: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while line.last != UInt8(ascii: "\n") {
      let count = read(responses.fileDescriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      line += part[..<count]
    }
    return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
  }
}
