internal import Foundation

/// A request of the watch to the phone.
public enum WatchCommand: Codable, Sendable, Hashable {
  case refresh, startTracking, stopTracking, stopTrip, sendNow
  /// - Parameter mode: a mode of the table of settings; `nil`: the chosen mode.
  case startTrip(mode: String?)
}

/// A command in the form in which it is sent. Its id and time protect against duplicate, late and reordered delivery.
struct WatchRequest: Codable, Sendable, Hashable {
  /// The version of the messages. A message of another version is answered with a sentence and not executed.
  static let version = 1

  var version = WatchRequest.version
  var id: UUID
  /// The time of sending.
  var time: Date
  var command: WatchCommand
}

/// The phone's answer.
public struct WatchReply: Codable, Sendable, Hashable {
  var version = WatchRequest.version
  public var snapshot: WidgetSnapshot
  /// The result of the command, as a sentence; empty for a refresh.
  public var text: String
  /// Modes of transport, the most used ones first, with their labels.
  public var modes: [Mode]

  init(snapshot: WidgetSnapshot, text: String, modes: [Mode]) {
    self.snapshot = snapshot
    self.text = text
    self.modes = modes
  }

  public struct Mode: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var label: String
    /// The name of a symbol of SF Symbols.
    public var symbol: String
  }
}

/// The common members of messages of all versions.
struct WatchEnvelope: Codable, Sendable, Hashable {
  var version: Int
  /// A sentence, if the message has no other content.
  var text: String?

  /// Whether bytes are a message of another version of the app.
  static func isOther(_ bytes: Data) -> Bool {
    (try? JSONDecoder().decode(WatchEnvelope.self, from: bytes)).map { $0.version != WatchRequest.version } ?? false
  }
}

/// The executed commands. Prevents a command from being executed twice, or after a later command.
struct WatchInbox: Sendable {
  /// Seconds after which a command is not executed any more: a trip must not start an hour after the tap.
  static let maximumAge = 120.0
  private static let maximumKnown = 64

  private var known: [UUID] = []
  private var newest: Date?

  /// Returns whether a command may be executed, and records it.
  mutating func admits(_ request: WatchRequest, at now: Date) -> Bool {
    guard request.command != .refresh else { return true }
    guard !known.contains(request.id), now.timeIntervalSince(request.time) <= Self.maximumAge else { return false }
    // Limits the effect of a clock that was set back to the maximum age of a command.
    if let newest, request.time < newest, newest.timeIntervalSince(request.time) <= Self.maximumAge { return false }
    known.append(request.id)
    if known.count > Self.maximumKnown { known.removeFirst() }
    newest = request.time
    return true
  }

  /// Whether a command was executed already.
  func contains(_ request: WatchRequest) -> Bool { known.contains(request.id) }
}

extension WidgetSnapshot {
  /// The key of messages between phone and watch, and of the widget's value in the shared user defaults.
  public static let key = "godwit"
}
