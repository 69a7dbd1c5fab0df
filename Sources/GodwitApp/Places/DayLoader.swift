internal import Foundation
internal import Godwit
internal import GodwitJournal
internal import GodwitLocks
internal import GodwitModel

/// Reads a day for the map from the journal, the cache and the server. Results wait until the main actor consumes them.
final class DayLoader: Sendable {
  /// A request to read a day.
  struct Request: Sendable {
    var number: Int
    var day: MapDay
    var interval: DateInterval
    /// The identifier of the server; `nil`: no server is read.
    var server: String?
    var history: PointHistory?
  }

  enum Outcome: Sendable {
    /// Positions of the journal, which were not sent yet.
    case waiting([DayPoint])
    case cached(DayCache.Day)
    /// Simplified positions of the server.
    case read([DayPoint], isCut: Bool)
    case failed(PointHistory.Failure)
  }

  private struct State {
    var outcomes: [(number: Int, outcome: Outcome)] = []
    /// The names of this device on servers, by server.
    var names: [String: String] = [:]
    var newest = 0
  }

  private let services: AppServices
  private let cache: DayCache
  private let state = Mutex(State())

  init(_ services: AppServices) {
    self.services = services
    cache = DayCache(files: services.files)
  }

  /// - Parameters:
  ///   - journal: the journal of the open tracker.
  ///   - changed: called from any thread after each outcome.
  func load(_ request: Request, _ journal: Journal?, changed: @escaping @Sendable () -> Void) {
    state.withLock { $0.newest = max($0.newest, request.number) }
    services.environment.task {
      self.readOwn(request, journal)
      changed()
      await self.readHistory(request)
      changed()
    }
  }

  /// Removes and returns the outcomes of a request. Outcomes of earlier requests are dropped.
  func consume(_ number: Int) -> [Outcome] {
    state.withLock { state in
      defer { state.outcomes.removeAll { $0.number <= number } }
      return state.outcomes.filter { $0.number == number }.map(\.outcome)
    }
  }

  private func put(_ number: Int, _ outcome: Outcome) { state.withLock { $0.outcomes.append((number, outcome)) } }

  private func readOwn(_ request: Request, _ journal: Journal?) {
    let (from, to) = (request.interval.start, request.interval.end)
    let fixes = (try? journal?.fixes(from: from, to: to, limit: PointHistory.maximumPoints)) ?? []
    let points = fixes.map { DayPoint(time: $0.time, coordinate: $0.coordinate, accuracy: $0.horizontalAccuracy) }
    put(request.number, .waiting(DayTrack.withoutJitter(points)))
    if let server = request.server, request.history != nil, let cached = cache.day(request.day, of: server) {
      put(request.number, .cached(cached))
    }
  }

  private func readHistory(_ request: Request) async {
    guard var history = request.history, let server = request.server else { return }
    do throws(PointHistory.Failure) {
      history.device = await deviceName(server, history)
      let read = try await history.points(from: request.interval.start, to: request.interval.end)
      // Days that the user has paged past are not simplified and stored.
      guard state.withLock({ $0.newest }) == request.number else { return }
      let points = DayTrack(own: [], history: DayTrack.withoutJitter(read.points)).simplified()
      if !read.isCut { cache.store(points, of: request.day, from: server, at: services.environment.now()) }
      put(request.number, .read(points, isCut: read.isCut))
    } catch { put(request.number, .failed(error)) }
  }

  /// Returns the device's name on a server. Only the device's own token can read it.
  private func deviceName(_ server: String, _ history: PointHistory) async -> String? {
    if let known = state.withLock({ $0.names[server] }) { return known }
    guard let token = try? services.credentials.token(server), let name = await history.deviceName(token: token) else {
      return nil
    }
    state.withLock { $0.names[server] = name }
    return name
  }
}
