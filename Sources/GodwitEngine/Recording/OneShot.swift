internal import GodwitModel

internal import struct Foundation.Date

/// Requests for one position.
struct OneShot: Sendable, Hashable, Codable {
  /// Timeout in seconds. A background launch has about thirty seconds in all.
  static let timeout = 20.0
  /// Age in seconds from which a known position is too old on activation of the app. OpenLocate's figure. It also limits how far the
  /// position may be ahead of the clock: the age of one from before the clock was set back is unknown.
  static let freshness = 15 * 60.0

  /// Numbers of the background fetches.
  private var fetches: [Int] = []
  /// Numbers of the callers that request the position without a record.
  private var callers: [Int] = []
  /// Whether the app became active while the known position was too old.
  private var isForeground = false

  var isEmpty: Bool { fetches.isEmpty && callers.isEmpty && !isForeground }
  /// Whether the position is recorded.
  var isRecording: Bool { !fetches.isEmpty || isForeground }
  /// The trigger in the record of the position.
  var trigger: Trigger { fetches.isEmpty ? .regular : .backgroundFetch }

  mutating func addForeground(at now: Date) -> [Effect] { add(at: now) { $0.isForeground = true } }
  mutating func add(fetch number: Int, at now: Date) -> [Effect] { add(at: now) { $0.fetches.append(number) } }
  mutating func add(caller number: Int, at now: Date) -> [Effect] { add(at: now) { $0.callers.append(number) } }

  /// The first request makes the location services determine a position, which answers all requests.
  private mutating func add(at now: Date, _ change: (inout OneShot) -> Void) -> [Effect] {
    let isFirst = isEmpty
    change(&self)
    return isFirst ? [.requestLocation, .setTimer(.oneShot, now.addingTimeInterval(Self.timeout))] : []
  }

  /// Answers all requests.
  ///
  /// - Parameters:
  ///   - record: the position.
  ///   - isRecorded: whether the position is in the journal, which is new data for a background fetch.
  mutating func respond(_ record: Record, isRecorded: Bool) -> [Effect] {
    finish(.record(record), isRecorded ? .newData : .noData)
  }

  /// Answers all requests with a problem, as a sentence.
  mutating func fail(_ reason: String) -> [Effect] { finish(.problem(reason), .failed) }

  private mutating func finish(_ response: LocationResponse, _ result: BackgroundFetchResult) -> [Effect] {
    guard !isEmpty else { return [] }
    defer { self = OneShot() }
    return [.cancelTimer(.oneShot)] + callers.map { .reportLocation($0, response) } + fetches.map { .fetchFinished($0, result) }
  }
}
