internal import GodwitModel

internal import struct Foundation.Date

/// Requests for one position.
struct OneShot: Sendable, Hashable, Codable {
  /// Seconds that a position may take; a background launch has about thirty in all.
  static let timeout = 20.0
  /// Seconds after which a known place is too old when a person opens the program. OpenLocate's figure.
  static let freshness = 15 * 60.0

  /// Background fetches.
  private var fetches: [Int] = []
  /// Callers that want to know where they are, without a record.
  private var callers: [Int] = []
  /// The program was opened and the known place was too old.
  private var isForeground = false

  var isEmpty: Bool { fetches.isEmpty && callers.isEmpty && !isForeground }
  /// Whether the position is to be a record.
  var isRecording: Bool { !fetches.isEmpty || isForeground }
  /// Why a position is recorded that comes now.
  var trigger: Trigger { fetches.isEmpty ? .regular : .backgroundFetch }

  mutating func addForeground(at now: Date) -> [Effect] { add(at: now) { $0.isForeground = true } }
  mutating func add(fetch number: Int, at now: Date) -> [Effect] { add(at: now) { $0.fetches.append(number) } }
  mutating func add(caller number: Int, at now: Date) -> [Effect] { add(at: now) { $0.callers.append(number) } }

  /// The first request asks for a position, which serves all.
  private mutating func add(at now: Date, _ change: (inout OneShot) -> Void) -> [Effect] {
    let isFirst = isEmpty
    change(&self)
    return isFirst ? [.requestLocation, .setTimer(.oneShot, now.addingTimeInterval(Self.timeout))] : []
  }

  /// Answers all requests.
  /// - Parameters:
  ///   - record: the position.
  ///   - isRecorded: it is in the journal: new data for a background fetch.
  mutating func answer(_ record: Record, isRecorded: Bool) -> [Effect] {
    finish(.record(record), isRecorded ? .newData : .noData)
  }

  /// Answers all requests with the reason why there is no position, as a sentence.
  mutating func fail(_ reason: String) -> [Effect] { finish(.problem(reason), .failed) }

  private mutating func finish(_ answer: LocationAnswer, _ result: BackgroundFetchResult) -> [Effect] {
    guard !isEmpty else { return [] }
    defer { self = OneShot() }
    return [.cancelTimer(.oneShot)] + callers.map { .tellLocation($0, answer) } + fetches.map { .fetchFinished($0, result) }
  }
}
