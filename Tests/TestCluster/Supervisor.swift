import Foundation

/// A script that keeps a server for the tests: it reads commands, answers each with a line, and ends with the test process, however
/// that ends.
public struct Supervisor: Sendable {
  private let commands: FileHandle
  private let responses: FileHandle

  /// Starts it.
  /// - Parameters:
  ///   - script: in bash.
  ///   - arguments: the script's.
  ///   - drop: a program with arguments that starts it with less rights.
  public init(_ script: String, _ arguments: [String], drop: [String] = []) throws {
    let (commands, responses) = (Pipe(), Pipe())
    _ = try ChildProcess(
      "/usr/bin/env", drop + ["bash", "-c", "cd /\n" + script, "keeper"] + arguments,
      input: commands.fileHandleForReading.fileDescriptor, output: responses.fileHandleForWriting.fileDescriptor, error: 2)
    // Ours of what is the script's, or the end of either would not be seen.
    try commands.fileHandleForReading.close()
    try responses.fileHandleForWriting.close()
    self.commands = commands.fileHandleForWriting
    self.responses = responses.fileHandleForReading
  }

  /// Has a command done, and gives the line that the script says to it.
  public func ask(_ command: String) throws -> String {
    try commands.write(contentsOf: Data((command + "\n").utf8))
    return line()
  }

  /// The next line that it says; what there was of it where it has ended.
  public func line() -> String {
    // Not FileHandle's own reading, which ends the process when a signal interrupts it.
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
