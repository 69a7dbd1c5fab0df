/// What the watch asks of the phone.
public enum WatchCommand: Codable, Sendable, Hashable {
  case refresh, startTracking, stopTracking, stopTrip, sendNow
  /// - Parameter mode: a word of the table of settings; `nil`: the chosen one.
  case startTrip(mode: String?)
}

/// What the phone answers.
public struct WatchReply: Codable, Sendable, Hashable {
  public var snapshot: WidgetSnapshot
  /// What the command came to, as a sentence; empty for a refresh.
  public var text: String
  /// Modes of transport, the most used ones first, with their labels.
  public var modes: [Mode]

  public struct Mode: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var label: String
    /// The name of a symbol of SF Symbols.
    public var symbol: String
  }
}

extension WidgetSnapshot {
  /// The key of a message between phone and watch, and of the shared defaults of a widget.
  public static let key = "godwit"
}
