public import Foundation
internal import Godwit
internal import GodwitModel
public import Observation

/// The Map screen: the track of a day, from this phone's own record and, if a token for reading is stored, from the server.
@MainActor @Observable
public final class MapModel {
  /// The form for the token that reads the server's history.
  public let access: ReadingAccessModel
  /// The map of all time.
  public let overview: OverviewModel
  private let state: AppState
  private let loader: DayLoader
  /// `nil`: today, also after midnight.
  private var chosenDay: MapDay?
  private var shown = Shown()
  private var isVisible = false
  private var request = 0
  private var loadedAt: Date?
  /// Whether the server's history of the day is being read.
  public private(set) var isLoading = false

  /// The data read for the shown day.
  private struct Shown {
    var day: MapDay?
    /// Positions of the journal.
    var waiting: [DayPoint] = []
    var history: [DayPoint] = []
    /// The time at which the server's history was read.
    var read: Date?
    var failure: PointHistory.Failure?
    var isCut = false
    var revision = 0
  }

  /// The lines of the day. They are computed from thousands of positions, and read with every status.
  private struct Drawn {
    var own: Int
    var shown: Int
    var day: MapDay
    var lines: [DayTrack.Line]
  }
  @ObservationIgnored private var drawn: Drawn?

  /// Seconds after which the data of today is read again while the screen is visible.
  private static let reloadInterval = 60.0

  init(_ state: AppState) {
    self.state = state
    let access = ReadingAccessModel(state)
    self.access = access
    overview = OverviewModel(state, access)
    loader = DayLoader(state.services)
  }

  private var texts: AppTexts { state.texts }

  public var title: String { texts(.map) }

  // MARK: Day

  private var today: MapDay { MapDay(state.now, state.calendar) }
  private var day: MapDay { chosenDay ?? today }
  /// The shown day, in the device's time zone.
  private var interval: DateInterval { day.interval(state.calendar) }

  public var isToday: Bool { day == today }
  /// "Today", "Yesterday", "18 Nov", "18 Nov 2025"
  public var dayText: String {
    if isToday { return texts(.today) }
    if day == today.adding(-1, state.calendar) { return texts(.yesterday) }
    return "\(day.day) \(texts.month(day.month))" + (day.year == today.year ? "" : " \(day.year)")
  }
  /// The start of the shown day, for a calendar. Setting it shows the day of that time; a future day shows today.
  public var date: Date {
    get { interval.start }
    set { show(MapDay(newValue, state.calendar)) }
  }
  public var previousDayLabel: String { texts(.previousDay) }
  public var nextDayLabel: String { texts(.nextDay) }
  public var canShowNextDay: Bool { !isToday }
  public func showPreviousDay() { show(day.adding(-1, state.calendar)) }
  public func showNextDay() { if canShowNextDay { show(day.adding(1, state.calendar)) } }
  public func showToday() { show(today) }

  private func show(_ day: MapDay) {
    let isPast = day.interval(state.calendar).start < today.interval(state.calendar).start
    chosenDay = isPast ? day : nil
    load()
  }

  // MARK: Lines

  /// The lines of the day, separated by gaps of 15 minutes. A line of one position is a stay.
  public var lines: [MapLine] {
    dayLines.enumerated().map { index, line in
      MapLine(id: index, points: line.points.map { MapPoint($0.coordinate) }, isHistory: line.isHistory)
    }
  }
  /// The newest position.
  public var position: MapPoint? { state.status?.lastFix.map { MapPoint($0.coordinate) } }
  /// The radius of uncertainty of ``position`` in metres.
  public var accuracy: Double { state.status?.lastFix?.horizontalAccuracy ?? 0 }
  public var positionLabel: String { texts(.youAreHere) }
  /// The part of the map with the whole day, or else with the newest position; `nil`: neither is known.
  public var area: MapArea? {
    let places = dayLines.flatMap { $0.points.map(\.coordinate) }
    return MapArea(around: places.isEmpty ? [state.status?.lastFix?.coordinate].compactMap(\.self) : places)
  }
  /// The text of an empty map; `nil`: something is drawn, or is being read.
  public var emptyText: String? {
    guard dayLines.isEmpty, !isLoading, shown.failure == nil else { return nil }
    return access.hasAccess ? texts(.mapEmptyDay) : texts(.mapEmpty)
  }
  /// The length of the lines: "12.4 km".
  public var distanceText: String { state.measures.length(dayLines.reduce(0) { $0 + $1.length }) }
  /// "12.4 km in 3 tracks"
  public var summaryText: String {
    let lengths = dayLines.map(\.length).filter { $0 >= DayTrack.minimumTrack }
    guard !lengths.isEmpty else { return dayLines.isEmpty ? texts(.mapEmptyDay) : texts(.mapNoTrack) }
    let length = state.measures.length(lengths.reduce(0, +))
    return lengths.count == 1 ? texts(.mapOneTrack, length) : texts(.mapTracks, length, "\(lengths.count)")
  }
  public var accessibilityLabel: String { texts(.mapLabel, dayText, summaryText) }

  private var dayLines: [DayTrack.Line] {
    _ = state.status
    let (own, day) = (state.track.revision, day)
    if let drawn, drawn.own == own, drawn.shown == shown.revision, drawn.day == day { return drawn.lines }
    let isShown = shown.day == day
    let lines = DayTrack(own: ownPoints, history: isShown ? shown.waiting + shown.history : []).lines
    drawn = Drawn(own: own, shown: shown.revision, day: day, lines: lines)
    return lines
  }

  private var ownPoints: [DayPoint] {
    let interval = interval
    return state.track.plausiblePoints.filter { $0.time >= interval.start && $0.time < interval.end }
      .map { DayPoint(time: $0.time, coordinate: $0.coordinate, accuracy: $0.accuracy) }
  }

  // MARK: History

  /// Whether a Godwit server is paired.
  public var hasHistoryServer: Bool { access.hasServer }
  /// Whether a token for reading is stored.
  public var hasReadingToken: Bool { access.hasAccess }
  public var canLoad: Bool { hasReadingToken && !isLoading }
  public var loadLabel: String { isLoading ? texts(.loading) : texts(.loadHistory) }
  public var tokenLabel: String { access.tokenLabel }
  public var tokenExplanation: String { access.explanation }
  public var saveLabel: String { access.saveLabel }
  /// The token for reading in the text field.
  public var enteredToken: String {
    get { access.token }
    set { access.token = newValue }
  }
  public var canSaveToken: Bool { access.canSave }
  /// Stores the entered token and reads the day.
  public func saveToken() { if access.save() { load() } }

  /// Why the history could not be read, or that only a part of it is shown, as a sentence; `nil`: all of it is shown.
  public var problem: String? {
    if let stored = access.problem { return stored }
    guard let failure = shown.failure else { return shown.isCut ? texts(.historyCut) : nil }
    let sentence = state.plain(texts(failure))
    return shown.read.map { "\(sentence) \(texts(.historyAsOf, state.day($0)))" } ?? sentence
  }

  // MARK: Loading

  /// Called when the screen appears. While it is visible, today is read again periodically.
  public func appear() {
    isVisible = true
    load()
  }
  public func disappear() { isVisible = false }

  /// Reads the day from the journal and, if possible, from the server.
  public func load() {
    access.refresh()
    if shown.day != day { shown = Shown(day: day, revision: shown.revision + 1) }
    (shown.failure, shown.isCut, loadedAt) = (nil, false, state.now)
    request += 1
    let history = access.history
    isLoading = history != nil
    loader.load(
      DayLoader.Request(number: request, day: day, interval: interval, server: access.server?.id, history: history),
      state.tracker?.journal
    ) { Task { @MainActor [weak self] in self?.collect() } }
  }

  /// Applies read data. After midnight, and periodically while the screen is visible, today is read again.
  func update() {
    access.refresh()
    overview.update()
    collect()
    let isDue = loadedAt.map { abs(state.now.timeIntervalSince($0)) >= Self.reloadInterval } ?? true
    if isVisible, shown.day != day || (isToday && isDue && !isLoading) { load() }
  }

  private func collect() {
    let outcomes = loader.consume(request)
    guard !outcomes.isEmpty else { return }
    shown.revision += 1
    for outcome in outcomes {
      switch outcome {
      case .waiting(let points): shown.waiting = points
      case .cached(let day): if shown.read == nil { (shown.history, shown.read) = (day.points, day.read) }
      case .read(let points, let isCut): (shown.history, shown.read, shown.isCut, isLoading) = (points, state.now, isCut, false)
      case .failed(let failure): (shown.failure, isLoading) = (failure, false)
      }
    }
  }
}
