import Foundation
import WatchConnectivity

/// The watch's end of the connection to the phone.
@MainActor
final class PhoneLink {
  let model: WatchModel
  private let receiver: Receiver

  init() {
    let model = WatchModel(languages: Locale.preferredLanguages) { message, reply in
      WCSession.default.sendMessageData(message, replyHandler: { reply($0) }, errorHandler: { _ in reply(nil) })
    }
    self.model = model
    receiver = Receiver { bytes in Task { @MainActor in model.receive(bytes) } }
    WCSession.default.delegate = receiver
    WCSession.default.activate()
  }

  /// Receives the snapshots that the phone sends, on any thread.
  private final class Receiver: NSObject, WCSessionDelegate, Sendable {
    private let received: @Sendable (Data) -> Void

    init(_ received: @escaping @Sendable (Data) -> Void) { self.received = received }

    func session(
      _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState, error: (any Error)?
    ) { report(session.receivedApplicationContext) }

    func session(_ session: WCSession, didReceiveApplicationContext context: [String: Any]) { report(context) }

    private func report(_ context: [String: Any]) {
      if let bytes = context[WidgetSnapshot.key] as? Data { received(bytes) }
    }
  }
}
