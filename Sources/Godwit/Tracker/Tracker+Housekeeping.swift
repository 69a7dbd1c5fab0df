internal import Foundation
internal import GodwitEngine

/// The periodic tasks of a running tracker.
extension Tracker {
  /// Limits the journal and posts a tick every minute; the engine then writes the coverage log. Removes old records every hour.
  func runHousekeeping() async throws {
    let environment = configuration.environment
    while true {
      writer.removeOld(
        of: configuration.endpoints.map(\.id).filter { engine.isFailing($0) }, olderThan: engine.settings.retention,
        uptime: environment.uptime())
      writer.limitSize()
      try await environment.sleep(60)
      mailbox.post(.tick)
    }
  }

  /// Retries pending writes every second, after a write has failed.
  func retryWriting() async throws {
    for await _ in writer.failures.stream {
      while writer.isHoldingBack {
        try await configuration.environment.sleep(1)
        writer.retry()
        statusStream.publish(status)
      }
    }
  }

  /// Flushes the last records if no others follow.
  func syncJournal() async throws {
    for await _ in writer.appends.stream {
      // One second longer than the interval, because a following record causes a flush itself.
      try await configuration.environment.sleep(configuration.syncInterval + 1)
      writer.attempt { [now = configuration.environment.now] in try $0.journal.sync(at: now()) }
    }
  }
}
