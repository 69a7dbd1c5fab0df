public import Foundation

/// What a widget shows of the last snapshot.
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
  ///   - languages: codes of the person's languages, the preferred one first.
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

/// What a widget and a Live Activity show of the running trip.
public struct TripWidgetModel: Sendable, Hashable {
  /// The mode: "Bicycle".
  public let label: String
  /// The name of a symbol of SF Symbols.
  public let symbol: String
  /// "12.4 km"
  public let distanceText: String
  /// From the start on, for a clock that the system draws.
  public let clock: ClosedRange<Date>
  /// What VoiceOver says.
  public let accessibilityLabel: String

  /// - Parameters:
  ///   - label: of the mode.
  ///   - symbol: of the mode.
  ///   - start: of the trip.
  ///   - distance: metres.
  ///   - languages: codes of the person's languages, the preferred one first.
  public init(label: String, symbol: String, start: Date, distance: Double, languages: [String]) {
    let texts = AppTexts(preferred: languages)
    self.label = label
    self.symbol = symbol
    distanceText = Measures(texts: texts).length(distance)
    clock = start...max(start, .distantFuture)
    accessibilityLabel = "\(texts(.tripOf, label)), \(distanceText)"
  }
}
