internal import Foundation

/// An executable of commands: `godwit`, or `godwit-tracker`, which has those of a tracker alone.
package struct Program: Sendable {
  /// The program's name on the command line.
  package let name: String
  /// Draws a text as a QR code, as lines for a terminal; `nil`: the executable has no encoder, or the text is too long.
  package let drawCode: @Sendable (String) -> [String]?

  package init(name: String, drawCode: @escaping @Sendable (String) -> [String]? = { _ in nil }) {
    (self.name, self.drawCode) = (name, drawCode)
  }

  /// The program that runs the current task.
  @TaskLocal package static var current = Program(name: Help.writtenFor)

  /// The command that has all others; `nil` before ``run(_:)``.
  @MainActor private(set) static var root: (any Command.Type)?

  /// Finds the command, runs it, and ends the process with its exit status: 0 done, 1 failed, 2 wrong usage.
  @MainActor
  package func run(_ root: any Command.Type) async -> Never {
    // A reader that went away (`godwit export … | head`) is an error of one write and not the end.
    signal(SIGPIPE, SIG_IGN)
    Self.root = root
    let words = Self.words
    do {
      let environment = ProcessInfo.processInfo.environment
      switch try Parser.parse(words, root: root, environment: environment) {
      case .help(let text): Output.result(text)
      case .run(let command):
        // For the test of the documents' commands: everything but the running.
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

  /// Ends with 0 only where standard output took all results.
  private func end() -> Never {
    Output.finish()
    if let failure = Output.failure, !failure.isClosed {
      Output.log("\(name): \(failure)")
      exit(1)
    }
    exit(0)
  }

  /// The words after the program's name. Where a preloaded library has set variables of the environment, Swift's runtime finds
  /// none; the kernel knows them still.
  private static var words: [String] {
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.isEmpty, let file = FileHandle(forReadingAtPath: "/proc/self/cmdline"),
      let line = try? file.readToEnd(), !line.isEmpty
    else { return words }
    // Each word ends with a zero.
    return line.dropLast().split(separator: 0, omittingEmptySubsequences: false).dropFirst()
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
