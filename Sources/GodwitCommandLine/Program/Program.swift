internal import Foundation

/// An executable with commands: `godwit`, or `godwit-tracker` with only the commands of a tracker.
package struct Program: Sendable {
  /// The program's name on the command line.
  package let name: String
  /// Returns a QR code of a text as lines for a terminal; `nil` if the executable has no encoder or the text is too long.
  package let drawCode: @Sendable (String) -> [String]?

  package init(name: String, drawCode: @escaping @Sendable (String) -> [String]? = { _ in nil }) {
    (self.name, self.drawCode) = (name, drawCode)
  }

  /// The program that runs the current task.
  @TaskLocal package static var current = Program(name: Help.writtenFor)

  /// The root command; `nil` before ``run(_:)``.
  @MainActor private(set) static var root: (any Command.Type)?

  /// Parses the command line, runs the command, and ends the process with its exit status: 0 for success, 1 for a failure, 2 for a
  /// usage error.
  @MainActor
  package func run(_ root: any Command.Type) async -> Never {
    // Writing to a closed pipe (`godwit export … | head`) returns an error instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
    Self.root = root
    let words = Self.words
    do {
      let environment = ProcessInfo.processInfo.environment
      switch try Parser.parse(words, root: root, environment: environment) {
      case .help(let text): Output.result(text)
      case .run(let command):
        // A test of the commands in the documentation parses each command without running it.
        if environment["GODWIT_CHECK_USAGE"] != nil { break }
        try await Self.$current.withValue(self) { try await command.run() }
      }
    } catch let error as UsageError {
      Output.log("\(name): \(Help.named("\(error)", for: root))")
      exit(2)
    } catch is CancellationError {
      end()
    } catch {
      Output.log("\(name): \(Help.named("\(error)", for: root))")
      exit(1)
    }
    end()
  }

  /// Ends the process with status 0 only if all results were written to standard output.
  private func end() -> Never {
    Output.finish()
    if let failure = Output.failure, !failure.isClosed {
      Output.log("\(name): \(failure)")
      exit(1)
    }
    exit(0)
  }

  /// The words after the program's name. If a preloaded library has set environment variables, Swift's runtime may find no
  /// arguments. They are then read from the kernel.
  private static var words: [String] {
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.isEmpty, let file = FileHandle(forReadingAtPath: "/proc/self/cmdline"),
      let line = try? file.readToEnd(), !line.isEmpty
    else { return words }
    // Each word ends with a zero byte.
    return line.dropLast().split(separator: 0, omittingEmptySubsequences: false).dropFirst()
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
