internal import GodwitEngine
internal import GodwitLocks

/// The trackers that perform the background refreshes of a process, by the identifiers of the tasks.
///
/// The system accepts one registration of an identifier in a process, and ends the app at a second one. So only the first
/// registration is passed to the system, and a later one replaces the tracker here.
final class RefreshRegistry: Sendable {
  typealias Opening = @Sendable () async throws -> Tracker

  /// The registry of this process. It is global, like the registrations with the system.
  static let process = RefreshRegistry()

  private let openings = Mutex<[String: Opening]>([:])

  /// Sets the tracker of an identifier.
  /// - Returns: whether the identifier is new, and has to be registered with the system.
  func register(_ identifier: String, _ opening: @escaping Opening) -> Bool {
    openings.withLock { $0.updateValue(opening, forKey: identifier) == nil }
  }

  /// Performs a refresh with the tracker that was registered last.
  func refresh(_ identifier: String) async -> BackgroundFetchResult {
    guard let opening = openings.withLock({ $0[identifier] }) else { return .failed }
    // The error is ignored here: the code that opens the tracker reports it.
    return await (try? opening())?.performBackgroundFetch() ?? .failed
  }
}
