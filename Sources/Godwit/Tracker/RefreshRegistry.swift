internal import GodwitEngine
internal import GodwitLocks

/// The trackers that perform the background refreshes of a process, by the identifiers of the tasks.
///
/// The system accepts one registration of an identifier in a process, and ends the app at a second one. So the first one is the
/// system's, and a later tracker takes the place of the one before.
final class RefreshRegistry: Sendable {
  typealias Opening = @Sendable () async throws -> Tracker

  /// That of this process: the registrations of its system cannot be undone either.
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
    // Why a tracker cannot be opened is reported where it is opened.
    return await (try? opening())?.performBackgroundFetch() ?? .failed
  }
}
