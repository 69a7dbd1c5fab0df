internal import Foundation

extension LocationDaemon {
  /// Runs a program on the main thread, and exits when it has ended: with status 0, or with status 1 and the error on standard
  /// error.
  ///
  /// On Linux, in a program with an `async` `main`, the main queue and the main actor do not run on the main thread, so
  /// `Thread.isMainThread` is false in every callback. For code that checks it, call this method from a `main` that is not
  /// `async`.
  /// - Parameter body: the program; it runs on the main actor, which is on the main thread.
  public static func runMain(_ body: @escaping @MainActor @Sendable () async throws -> Void) -> Never {
    precondition(Thread.isMainThread, "Call runMain from a main function that is not async.")
    Task { @MainActor in
      do {
        try await body()
        exit(0)
      } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
      }
    }
    // The main run loop performs the work of the main queue.
    while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
  }
}
