internal import Foundation
internal import Godwit
internal import GodwitLocks
internal import GodwitModel
public import Observation

/// The map of all time: the server's simplified lines of the visible part, from `GET /api/v1/overview`.
@MainActor @Observable
public final class OverviewModel {
  private let state: AppState
  private let access: ReadingAccessModel
  private let inbox = OverviewInbox()
  private var visible: (area: MapArea, width: Double)?
  /// The number of the newest request. If the map moves during a request, the newest part is requested afterwards.
  private var request = 0
  private var isDirty = false
  private var failure: PointHistory.Failure?
  private var drawn: [[Coordinate]] = []
  public private(set) var isLoading = false

  init(_ state: AppState, _ access: ReadingAccessModel) {
    self.state = state
    self.access = access
  }

  public var label: String { state.texts(.allTime) }
  /// Whether a token for reading is stored.
  public var canShow: Bool { access.hasAccess }
  /// Whether all time is shown instead of a day.
  public var isShown = false {
    didSet {
      guard isShown != oldValue else { return }
      if isShown { load() } else { (drawn, failure) = ([], nil) }
    }
  }
  /// The lines; empty while a day is shown.
  public var lines: [MapLine] {
    isShown ? drawn.enumerated().map { MapLine(id: $0, points: $1.map(MapPoint.init), isHistory: true) } : []
  }
  /// Why the lines could not be read, as a sentence; `nil`: no error.
  public var problem: String? { failure.map { state.plain(state.texts($0)) } }

  /// Called when the map was moved.
  /// - Parameters:
  ///   - area: the visible part.
  ///   - width: the width of the map on the screen in points.
  public func moved(to area: MapArea, width: Double) {
    visible = (area, width)
    if isShown { load() }
  }

  private func load() {
    guard let visible, var history = access.history, let server = access.server else { return }
    guard !isLoading else {
      isDirty = true
      return
    }
    request += 1
    (isLoading, isDirty) = (true, false)
    let (number, environment) = (request, state.services.environment)
    let token = try? state.services.credentials.token(server.id)
    environment.task { [inbox] in
      do throws(PointHistory.Failure) {
        if let token { history.device = await history.deviceName(token: token) }
        inbox.put(number, .success(try await history.overview(visible.area, zoom: Self.zoom(visible.area, visible.width))))
      } catch { inbox.put(number, .failure(error)) }
      Task { @MainActor [weak self] in self?.update() }
    }
  }

  /// Applies read lines.
  func update() {
    guard let result = inbox.consume(request) else { return }
    isLoading = false
    switch result {
    case .success(let lines): (drawn, failure) = (lines, nil)
    case .failure(let failure): self.failure = failure
    }
    if isShown, isDirty { load() }
  }

  /// Returns the zoom, 0…22. At zoom 0 the world is 256 points wide.
  nonisolated static func zoom(_ area: MapArea, _ width: Double) -> Double {
    guard area.longitudeSpan > 0, width > 0, width.isFinite else { return 0 }
    let zoom = log2(360 / area.longitudeSpan * width / 256)
    return min(max(0, (zoom * 10).rounded() / 10), 22)
  }
}

/// Passes a result from any thread to the main actor.
private final class OverviewInbox: Sendable {
  typealias Outcome = Result<[[Coordinate]], PointHistory.Failure>
  private let newest = Mutex<(number: Int, result: Outcome)?>(nil)

  func put(_ number: Int, _ result: Outcome) { newest.withLock { $0 = (number, result) } }

  func consume(_ number: Int) -> Outcome? {
    newest.withLock { newest in
      guard let found = newest, found.number == number else { return nil }
      newest = nil
      return found.result
    }
  }
}
