package import Dispatch
internal import Foundation

/// Ctrl-C and `kill` as the end of a task.
package enum Signals {
  /// Runs `body`; the first SIGINT or SIGTERM cancels it, the second one ends the program at once.
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

  /// Ctrl-C ends the program at once, with a sentence before. For work whose transactions leave nothing behind that is half done.
  /// - Returns: what to cancel when the work is over.
  package static func saying(_ sentence: String) -> any DispatchSourceSignal { ending(SIGINT, sentence) {} }

  /// SIGINT and SIGTERM end the program at once, after `cleanUp` and with a sentence.
  /// - Parameters:
  ///   - sentence: for the terminal.
  ///   - cleanUp: removes what is left behind, while the other threads are running.
  /// - Returns: what to cancel when the work is over.
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
      // Other threads are running: nothing that they use is freed.
      _exit(130)
    }
    source.resume()
    return source
  }
}
