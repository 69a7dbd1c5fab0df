internal import Foundation
internal import Godwit
internal import GodwitModel
public import Observation
internal import Synchronization

/// The Map screen: the way of a day, from this phone's own record and, where a token for reading is set, from the server.
@MainActor @Observable
public final class MapModel {
  /// A longer time without a position breaks a line, seconds.
  private static let gap = 900.0
  /// Metres by which a drawn line may deviate.
  private static let tolerance = 5.0

  private let state: AppState
  /// Days before today: 0 is today.
  private var daysBack = 0
  private var history: [[Coordinate]] = []
  public private(set) var isLoading = false
  /// Why the history could not be read, as a sentence.
  public private(set) var problem: String?
  /// Only the newest request is shown.
  private var request = 0
  private let results = HistoryResults()

  init(_ state: AppState) { self.state = state }

  private var texts: AppTexts { state.texts }

  public var title: String { texts(.map) }

  // MARK: Day

  /// "Today", "Yesterday", "18 Nov"
  public var dayText: String {
    switch daysBack {
    case 0: return texts(.today)
    case 1: return texts(.yesterday)
    default:
      let parts = state.calendar.dateComponents([.day, .month], from: interval.start)
      return "\(parts.day ?? 0) \(texts.month(parts.month ?? 1))"
    }
  }
  public var previousDayLabel: String { texts(.previousDay) }
  public var nextDayLabel: String { texts(.nextDay) }
  public var canShowNextDay: Bool { daysBack > 0 }
  public func showPreviousDay() { show(daysBack + 1) }
  public func showNextDay() { if canShowNextDay { show(daysBack - 1) } }

  private func show(_ day: Int) {
    daysBack = day
    (history, problem, isLoading) = ([], nil, false)
    request += 1
    load()
  }

  /// The shown day, in the device's time zone.
  private var interval: DateInterval {
    let calendar = state.calendar
    let today = calendar.startOfDay(for: state.now)
    let start = calendar.date(byAdding: .day, value: -daysBack, to: today) ?? today
    return DateInterval(start: start, end: max(start, calendar.date(byAdding: .day, value: 1, to: start) ?? start))
  }

  // MARK: Lines

  /// The lines of the day: the server's history if it was read, else this phone's own record.
  public var lines: [MapLine] {
    _ = state.status
    let isHistory = !history.isEmpty
    return (isHistory ? history : ownLines).filter { !$0.isEmpty }.enumerated().map { index, line in
      MapLine(id: index, points: line.map(MapPoint.init), isHistory: isHistory)
    }
  }
  /// The newest position.
  public var position: MapPoint? { state.status?.lastFix.map { MapPoint($0.coordinate) } }
  /// Its radius of uncertainty, metres.
  public var accuracy: Double { state.status?.lastFix?.horizontalAccuracy ?? 0 }
  public var positionLabel: String { texts(.youAreHere) }
  /// Why nothing is drawn; `nil`: something is.
  public var emptyText: String? { lines.isEmpty && !isLoading ? texts(.mapEmpty) : nil }
  /// "12.4 km", along the lines.
  public var distanceText: String {
    let meters = (history.isEmpty ? ownLines : history).reduce(0.0) { sum, line in
      sum + zip(line, line.dropFirst()).reduce(0.0) { $0 + GreatCircle.distance($1.0, $1.1) }
    }
    return state.measures.length(meters)
  }
  public var accessibilityLabel: String { texts(.mapLabel, dayText, distanceText) }

  private struct Cached {
    var revision: Int
    var day: DateInterval
    var lines: [[Coordinate]]
  }

  /// Lines are computed of thousands of positions, and asked for with every status.
  @ObservationIgnored private var cached: Cached?

  private var ownLines: [[Coordinate]] {
    let (interval, revision) = (interval, state.track.revision)
    if let cached, cached.revision == revision, cached.day == interval { return cached.lines }
    let lines = lines(of: interval)
    cached = Cached(revision: revision, day: interval, lines: lines)
    return lines
  }

  private func lines(of interval: DateInterval) -> [[Coordinate]] {
    var lines: [[Coordinate]] = []
    var last: Date?
    for point in state.track.plausiblePoints where point.time >= interval.start && point.time < interval.end {
      if let last, point.time.timeIntervalSince(last) <= Self.gap {
        lines[lines.count - 1].append(point.coordinate)
      } else {
        lines.append([point.coordinate])
      }
      last = point.time
    }
    return lines.map(Self.simplified)
  }

  private static func simplified(_ line: [Coordinate]) -> [Coordinate] {
    TrackSimplifier.kept(of: line, tolerance: tolerance).map { line[$0] }
  }

  // MARK: History

  /// A server of ours is paired.
  public var hasHistoryServer: Bool { server != nil }
  /// A token for reading is stored.
  public var hasReadingToken: Bool { token != nil }
  public var canLoad: Bool { hasReadingToken && !isLoading }
  public var loadLabel: String { isLoading ? texts(.loading) : texts(.loadHistory) }
  public var tokenLabel: String { texts(.readingToken) }
  public var tokenExplanation: String { texts(.readingTokenExplanation) }
  public var saveLabel: String { texts(.save) }
  /// A token for reading that is being entered.
  public var enteredToken = ""
  public var canSaveToken: Bool { !enteredToken.isEmpty && enteredToken.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }

  /// Stores the entered token, and reads the day.
  public func saveToken() {
    guard canSaveToken, let server else { return }
    do {
      try state.services.credentials.setToken(enteredToken, server.readingCredential)
      enteredToken = ""
      load()
    } catch { problem = texts(.tokenNotStored, "\(error)") }
  }

  /// Reads the day from the server, if that is possible.
  public func load() {
    guard let server, let token else { return }
    request += 1
    (isLoading, problem) = (true, nil)
    let (number, interval, environment) = (request, interval, state.services.environment)
    let reader = HistoryReader(client: environment.client, address: server.address, token: token, device: state.settings.deviceID)
    Task(executorPreference: environment.executor) { [results] in
      do {
        let lines = try await reader.lines(from: interval.start, to: interval.end)
        results.put(number, .success(lines))
      } catch { results.put(number, .failure(error as? HistoryReader.Failure ?? .other("\(error)"))) }
      Task { @MainActor [weak self] in self?.update() }
    }
  }

  /// Takes what was read meanwhile.
  func update() {
    guard let result = results.remove(request) else { return }
    isLoading = false
    switch result {
    case .success(let lines): history = lines.map(Self.simplified)
    case .failure(let failure): problem = text(failure)
    }
  }

  private func text(_ failure: HistoryReader.Failure) -> String {
    switch failure {
    case .noAddress: texts(.historyNoAddress)
    case .tokenRejected: texts(.historyTokenRejected)
    case .noTrack: texts(.historyNoTrack)
    case .status(let status): texts(.historyStatus, "\(status)")
    case .other(let text): text
    }
  }

  private var server: StoredServer? { state.servers.servers.first(where: \.hasRegions) }
  private var token: String? { server.flatMap { (try? state.services.credentials.token($0.readingCredential)) ?? nil } }
}

/// What was read, from any thread.
private final class HistoryResults: Sendable {
  private let newest = Mutex<(number: Int, result: Result<[[Coordinate]], HistoryReader.Failure>)?>(nil)

  func put(_ number: Int, _ result: Result<[[Coordinate]], HistoryReader.Failure>) {
    newest.withLock { if ($0?.number ?? 0) <= number { $0 = (number, result) } }
  }

  func remove(_ number: Int) -> Result<[[Coordinate]], HistoryReader.Failure>? {
    newest.withLock { newest in
      guard let found = newest, found.number == number else { return nil }
      newest = nil
      return found.result
    }
  }
}
