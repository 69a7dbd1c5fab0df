public import Foundation
public import Observation

/// The watch's screen: the last report of the phone, and commands to the phone.
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
  /// The result of the last command, as a sentence; empty: none.
  public private(set) var message = ""
  public var isWaiting: Bool { waitingSince != nil }
  /// Whether the phone answered the last message, or has sent a message since.
  public private(set) var isReachable = true
  /// The reason why the screen may be out of date, as a sentence; `nil`: the phone is reachable.
  public var unreachableText: String? { isReachable ? nil : texts(.watchNoPhone) }
  private var waitingSince: Date?
  /// The number of the newest message. An answer to an earlier one does not end the waiting.
  private var number = 0
  private let clock: @MainActor () -> Date

  /// Seconds after which the screen stops to wait for an answer.
  static let timeout = 20.0
  /// Seconds by which a received snapshot may be older than the shown one and is ignored. A larger difference means that the phone's clock
  /// was set back.
  static let maximumDelay = 600.0

  /// - Parameters:
  ///   - now: the time for which the screen computes ages.
  ///   - languages: codes of the user's languages, the preferred one first.
  ///   - clock: returns the current time, at which a command is sent.
  ///   - send: sends a message to the phone.
  public init(
    now: Date = Date(), languages: [String] = ["en"], clock: @escaping @MainActor () -> Date = { Date() }, send: @escaping Send
  ) {
    self.send = send
    self.clock = clock
    self.now = now
    texts = AppTexts(preferred: languages)
  }

  private var measures: Measures { Measures(texts: texts) }

  // MARK: Showing

  public var title: String { snapshot?.title ?? texts(.watchNoPhone) }
  /// Whether tracking is on; setting it sends a request to the phone.
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

  /// Sets the time for which ages are computed. A view calls it once a second while it is visible.
  public func tick(_ now: Date) {
    self.now = now
    if let waitingSince, abs(clock().timeIntervalSince(waitingSince)) > Self.timeout { lose() }
  }

  // MARK: Commands

  public func refresh() { command(.refresh) }
  public func setTracking(_ isOn: Bool) { if isOn != isTracking { command(isOn ? .startTracking : .stopTracking) } }
  public func toggleTrip(_ mode: String? = nil) { command(isTripRunning ? .stopTrip : .startTrip(mode: mode)) }
  public func sendNow() { command(.sendNow) }

  private func command(_ command: WatchCommand) {
    let time = clock()
    guard let bytes = try? JSONEncoder().encode(WatchRequest(id: UUID(), time: time, command: command)) else { return }
    number += 1
    waitingSince = time
    send(bytes) { [number] reply in Task { @MainActor [weak self] in self?.receive(reply, number) } }
  }

  private func receive(_ reply: Data?, _ number: Int) {
    // An answer to an earlier message may have newer content, but its failure is not that of the newest message.
    if number == self.number { receive(reply) } else if let reply { show(reply) }
  }

  /// Receives a reply, or a message that the phone sends without a request; `nil`: the phone is not reachable.
  public func receive(_ bytes: Data?) {
    guard let bytes else { return lose() }
    waitingSince = nil
    isReachable = true
    show(bytes)
  }

  private func lose() {
    waitingSince = nil
    isReachable = false
    message = texts(.watchNoPhone)
  }

  private func show(_ bytes: Data) {
    if WatchEnvelope.isOther(bytes) {
      message = texts(.watchOtherVersion)
    } else if let reply = try? JSONDecoder().decode(WatchReply.self, from: bytes) {
      message = reply.text
      if isNewer(reply.snapshot) { (snapshot, modes) = (reply.snapshot, reply.modes) }
    } else if let new = try? JSONDecoder().decode(WidgetSnapshot.self, from: bytes) {
      if isNewer(new) { snapshot = new }
    } else if let text = (try? JSONDecoder().decode(WatchEnvelope.self, from: bytes))?.text {
      message = text
    }
  }

  private func isNewer(_ new: WidgetSnapshot) -> Bool {
    guard let snapshot else { return true }
    let delay = snapshot.time.timeIntervalSince(new.time)
    return delay <= 0 || delay > Self.maximumDelay
  }
}
