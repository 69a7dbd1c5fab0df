internal import Dispatch
internal import Foundation

/// A handler of a signal in place of the signal's disposition.
package final class SignalHandler {
  private let number: Int32
  private let source: any DispatchSourceSignal

  /// - Parameter handle: Called on any thread for each signal.
  fileprivate init(_ number: Int32, handle: @escaping @Sendable () -> Void) {
    self.number = number
    // libdispatch reports a signal only if it does not end the process.
    signal(number, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: handle)
    source.resume()
  }

  /// Ends the handling. The next signal ends the process again.
  package func cancel() {
    source.cancel()
    signal(number, SIG_DFL)
  }
}

/// Handling of SIGINT (Ctrl-C) and SIGTERM.
package enum Signals {
  /// Runs `body`. The first SIGINT or SIGTERM cancels it, and the second one ends the process at once.
  package static func cancelling<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
    let task = Task { try await body() }
    let handlers = [SIGINT, SIGTERM].map { number in
      SignalHandler(number) {
        if task.isCancelled { exit(130) }
        task.cancel()
      }
    }
    defer { for handler in handlers { handler.cancel() } }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Ends the process on SIGINT after printing a sentence. For work whose transactions leave no incomplete data.
  /// - Returns: The handler, to be cancelled after the work.
  package static func exitOnInterrupt(printing sentence: String) -> SignalHandler { ending(SIGINT, sentence) {} }

  /// Ends the process on SIGINT and SIGTERM after `cleanUp` and a sentence.
  /// - Parameters:
  ///   - sentence: Message for the terminal.
  ///   - cleanUp: Removes temporary data while other threads are still running.
  /// - Returns: The handlers, to be cancelled after the work.
  package static func ending(_ sentence: String, cleanUp: @escaping @Sendable () -> Void) -> [SignalHandler] {
    [SIGINT, SIGTERM].map { ending($0, sentence, cleanUp) }
  }

  private static func ending(
    _ number: Int32, _ sentence: String, _ cleanUp: @escaping @Sendable () -> Void
  ) -> SignalHandler {
    SignalHandler(number) {
      cleanUp()
      Output.endProgress()
      Output.log(sentence)
      // `_exit` frees nothing that other running threads use.
      _exit(130)
    }
  }
}
