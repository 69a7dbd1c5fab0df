internal import Foundation

extension LocationDaemon {
  /// Runs a program on the main thread, and exits when it has ended: with 0, or with 1 and the error on standard error.
  ///
  /// In a program with an `async` `main` the main queue and the main actor are not on the main thread on Linux, so that
  /// `Thread.isMainThread` is false in every callback. Call this from a `main` that is not `async`, for code that checks it.
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
    // The main run loop takes what waits in the main queue.
    while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
  }
}
