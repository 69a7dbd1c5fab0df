public import Foundation
public import Observation

/// The watch's screen: what the phone reported last, and commands to it.
///
///     let model = WatchModel { message, reply in
///       session.sendMessageData(message, replyHandler: reply, errorHandler: { _ in reply(nil) })
///     }
@MainActor @Observable
public final class WatchModel {
  /// Sends a message to the phone; the reply is `nil` if the phone is not reachable.
  public typealias Send = @MainActor (_ message: Data, _ reply: @escaping @Sendable (Data?) -> Void) -> Void

  private let send: Send
  private let texts: AppTexts
  private var snapshot: WidgetSnapshot?
  private var now: Date
  /// Modes of transport, the most used ones first.
  public private(set) var modes: [WatchReply.Mode] = []
  /// What the last command came to, as a sentence; empty: nothing.
  public private(set) var message = ""
  public private(set) var isWaiting = false

  public init(now: Date = Date(), languages: [String] = ["en"], send: @escaping Send) {
    self.send = send
    self.now = now
    texts = AppTexts(preferred: languages)
  }

  private var measures: Measures { Measures(texts: texts) }

  // MARK: Showing

  public var title: String { snapshot?.title ?? texts(.watchNoPhone) }
  /// Whether tracking is on; setting it asks the phone to turn it on or off.
  public var isTracking: Bool {
    get { snapshot?.isTracking ?? false }
    set { setTracking(newValue) }
  }
  public var isTripRunning: Bool { snapshot?.trip != nil }
  public var isProblem: Bool { snapshot?.isProblem ?? false }
  public var canCommand: Bool { snapshot != nil && !isWaiting }
  public var trackingLabel: String { texts(.trackingEnabled) }
  public var tripLabel: String { isTripRunning ? texts(.stopTrip) : texts(.startTrip) }
  public var sendLabel: String { texts(.sendNow) }
  public var queuedText: String { texts(.recordsWait, "\(snapshot?.waiting ?? 0)") }
  public var durationText: String { snapshot?.trip.map { measures.clock(now.timeIntervalSince($0.start)) } ?? texts(.noValue) }
  public var distanceText: String { snapshot?.trip.map { measures.length($0.distance) } ?? texts(.noValue) }
  /// "3 min ago"
  public var ageText: String { snapshot.map { texts(.ago, measures.duration(now.timeIntervalSince($0.time))) } ?? "" }

  public func tick(_ now: Date) { self.now = now }

  // MARK: Commands

  public func refresh() { command(.refresh) }
  public func setTracking(_ isOn: Bool) { if isOn != isTracking { command(isOn ? .startTracking : .stopTracking) } }
  public func toggleTrip(_ mode: String? = nil) { command(isTripRunning ? .stopTrip : .startTrip(mode: mode)) }
  public func sendNow() { command(.sendNow) }

  private func command(_ command: WatchCommand) {
    guard let bytes = try? JSONEncoder().encode(command) else { return }
    isWaiting = true
    send(bytes) { reply in Task { @MainActor [weak self] in self?.receive(reply) } }
  }

  /// Takes a reply, or what the phone sends by itself; `nil`: the phone is not reachable.
  public func receive(_ bytes: Data?) {
    isWaiting = false
    guard let bytes else {
      message = texts(.watchNoPhone)
      return
    }
    if let reply = try? JSONDecoder().decode(WatchReply.self, from: bytes) {
      (snapshot, modes, message) = (reply.snapshot, reply.modes, reply.text)
    } else if let snapshot = try? JSONDecoder().decode(WidgetSnapshot.self, from: bytes) {
      self.snapshot = snapshot
    }
  }
}
