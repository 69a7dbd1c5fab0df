package import Dispatch
internal import Foundation

/// Handling of SIGINT (Ctrl-C) and SIGTERM.
package enum Signals {
  /// Runs `body`. The first SIGINT or SIGTERM cancels it, and the second one ends the process at once.
  package static func cancelling<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
    let task = Task { try await body() }
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if task.isCancelled { exit(130) }
        task.cancel()
      }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Ends the process on SIGINT after printing a sentence. For work whose transactions leave no incomplete data.
  /// - Returns: The signal source, to be cancelled after the work.
  package static func saying(_ sentence: String) -> any DispatchSourceSignal { ending(SIGINT, sentence) {} }

  /// Ends the process on SIGINT and SIGTERM after `cleanUp` and a sentence.
  /// - Parameters:
  ///   - sentence: Message for the terminal.
  ///   - cleanUp: Removes temporary data while other threads are still running.
  /// - Returns: The signal sources, to be cancelled after the work.
  package static func ending(_ sentence: String, cleanUp: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
    [SIGINT, SIGTERM].map { ending($0, sentence, cleanUp) }
  }

  private static func ending(
    _ number: Int32, _ sentence: String, _ cleanUp: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
      cleanUp()
      Output.endProgress()
      Output.log(sentence)
      // `_exit` frees nothing that other running threads use.
      _exit(130)
    }
    source.resume()
    return source
  }
}
