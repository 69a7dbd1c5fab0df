import Foundation
import GodwitApp
import WatchConnectivity
import os

/// The phone's end of the connection to the watch.
final class WatchLink: NSObject, WCSessionDelegate, Sendable {
  /// Returns the reply to a message of the watch.
  typealias Respond = @MainActor @Sendable (Data) async -> Data?
  private let respond = OSAllocatedUnfairLock<Respond?>(initialState: nil)

  /// Connects to the watch, if the device supports one.
  func start(_ respond: @escaping Respond) {
    self.respond.withLock { $0 = respond }
    guard WCSession.isSupported() else { return }
    WCSession.default.delegate = self
    WCSession.default.activate()
  }

  /// Sends the newest snapshot to the watch, also while its app is not running. Without a watch, the snapshot is dropped.
  func publish(_ snapshot: Data) {
    guard WCSession.isSupported() else { return }
    try? WCSession.default.updateApplicationContext([WidgetSnapshot.key: snapshot])
  }

  func session(_ session: WCSession, didReceiveMessageData message: Data, replyHandler: @escaping (Data) -> Void) {
    // The handler may be called on any thread.
    nonisolated(unsafe) let reply = replyHandler
    let respond = respond.withLock { $0 }
    Task { @MainActor in reply(await respond?(message) ?? Data()) }
  }

  func session(
    _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState, error: (any Error)?
  ) {}
  func sessionDidBecomeInactive(_ session: WCSession) {}
  /// Connects to the new watch after the user has switched watches.
  func sessionDidDeactivate(_ session: WCSession) { session.activate() }
}
