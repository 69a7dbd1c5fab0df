internal import Foundation

/// The requests of the watch to the phone.
public enum WatchCommand: Codable, Sendable, Hashable {
  case refresh, startTracking, stopTracking, stopTrip, sendNow
  /// - Parameter mode: a word of the table of settings; `nil`: the chosen one.
  case startTrip(mode: String?)
}

/// A command as it is sent. Its number and its time make it harmless if it arrives twice, late, or after a later one.
struct WatchRequest: Codable, Sendable, Hashable {
  /// The version of the messages. Messages of another one are answered with a sentence and not carried out.
  static let version = 1

  var version = WatchRequest.version
  var id: UUID
  /// When it was sent.
  var time: Date
  var command: WatchCommand
}

/// What the phone answers.
public struct WatchReply: Codable, Sendable, Hashable {
  var version = WatchRequest.version
  public var snapshot: WidgetSnapshot
  /// What the command came to, as a sentence; empty for a refresh.
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

/// A message of any version.
struct WatchEnvelope: Codable, Sendable, Hashable {
  var version: Int
  /// A sentence, where the message has nothing else.
  var text: String?

  /// Returns whether bytes are a message of another version of the app.
  static func isOther(_ bytes: Data) -> Bool {
    (try? JSONDecoder().decode(WatchEnvelope.self, from: bytes)).map { $0.version != WatchRequest.version } ?? false
  }
}

/// The commands that the phone has carried out, so that none is carried out twice or after a later one.
struct WatchInbox: Sendable {
  /// Seconds after which a command is not carried out any more: a trip must not start an hour after the tap.
  static let maximumAge = 120.0
  private static let maximumKnown = 64

  private var known: [UUID] = []
  private var newest: Date?

  /// Returns whether a command may be carried out, and remembers it.
  mutating func admits(_ request: WatchRequest, at now: Date) -> Bool {
    guard request.command != .refresh else { return true }
    guard !known.contains(request.id), now.timeIntervalSince(request.time) <= Self.maximumAge else { return false }
    // A clock that was set back does not block the watch for longer than a command may be late.
    if let newest, request.time < newest, newest.timeIntervalSince(request.time) <= Self.maximumAge { return false }
    known.append(request.id)
    if known.count > Self.maximumKnown { known.removeFirst() }
    newest = request.time
    return true
  }

  /// Returns whether a command was carried out already.
  func contains(_ request: WatchRequest) -> Bool { known.contains(request.id) }
}

extension WidgetSnapshot {
  /// The key of a message between phone and watch, and of the shared defaults of a widget.
  public static let key = "godwit"
}
