public import Foundation

/// The content of a widget, computed from the last snapshot.
public struct WidgetModel: Sendable, Hashable {
  /// The status in a few words.
  public let title: String
  public let detail: String
  /// The name of a symbol of SF Symbols.
  public let symbol: String
  /// "12 queued"
  public let queuedText: String
  /// The running trip; `nil`: none is running.
  public let trip: TripWidgetModel?
  /// The name of the widget.
  public let name: String

  /// - Parameters:
  ///   - snapshot: the bytes that the app wrote; `nil`: none yet.
  ///   - languages: codes of the user's languages, the preferred one first.
  public init(_ snapshot: Data?, languages: [String]) {
    let texts = AppTexts(preferred: languages)
    let snapshot = snapshot.flatMap { try? JSONDecoder().decode(WidgetSnapshot.self, from: $0) }
    name = texts(.tracker)
    title = snapshot?.title ?? texts(.opening)
    detail = snapshot?.detail ?? ""
    queuedText = texts(.recordsWait, "\(snapshot?.waiting ?? 0)")
    trip = snapshot?.trip.map {
      TripWidgetModel(label: $0.label, symbol: $0.symbol, start: $0.start, distance: $0.distance, languages: languages)
    }
    symbol =
      switch snapshot {
      case .some(let snapshot) where snapshot.isProblem: "exclamationmark.triangle.fill"
      case .some(let snapshot) where snapshot.isTracking: "location.fill"
      default: "location.slash"
      }
  }
}

/// The content of the running trip in a widget.
public struct TripWidgetModel: Sendable, Hashable {
  /// The mode: "Bicycle".
  public let label: String
  /// The name of a symbol of SF Symbols.
  public let symbol: String
  /// "12.4 km"
  public let distanceText: String
  /// A range from the start, for a clock that the system draws.
  public let clock: ClosedRange<Date>
  /// The text for VoiceOver.
  public let accessibilityLabel: String

  /// - Parameters:
  ///   - label: the label of the mode.
  ///   - symbol: the symbol of the mode.
  ///   - start: the start of the trip.
  ///   - distance: the length of the trip in metres.
  ///   - languages: codes of the user's languages, the preferred one first.
  public init(label: String, symbol: String, start: Date, distance: Double, languages: [String]) {
    let texts = AppTexts(preferred: languages)
    self.label = label
    self.symbol = symbol
    distanceText = Measures(texts: texts).length(distance)
    clock = start...max(start, .distantFuture)
    accessibilityLabel = "\(texts(.tripOf, label)), \(distanceText)"
  }
}
