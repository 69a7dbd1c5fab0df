// The types of settings, endpoints, statuses and the journal that an app uses, with one import. It is compiled with every build.
import Foundation
import Godwit

func settings(mode: Settings.TrackingMode, preset: Settings.Preset) -> Settings {
  var settings = Settings()
  settings.apply(preset)
  settings.main.trackingMode = mode
  settings.main.desiredAccuracy = .tenMeters
  settings.main.activityType = .fitness
  settings.main.loggingMode = .latest
  settings.authorization = .whenInUse
  settings.fields = .standard
  settings.tripMode = .bicycle
  return settings
}

func endpoint(at url: URL, refresh: @escaping @Sendable () async throws -> String) -> Endpoint {
  var endpoint = Endpoint(id: "home", url: url)
  endpoint.token = .refreshing { _ in try await refresh() }
  endpoint.trust = .system
  endpoint.interval = .every(600)
  endpoint.fields = .standard
  endpoint.precision = .exact
  endpoint.loggingMode = .all
  return endpoint
}

/// Shows each status until the tracker ends, and the error if one ended it.
func follow(_ tracker: Tracker, show: (String) -> Void) async {
  for await status in tracker.statuses {
    switch status.state {
    case .failed(let error) where error.code == .journalInUse: show("Another instance is running.")
    case .failed(let error): show("\(error.code.category): \(error.message)")
    case .idle, .starting, .running, .stopping, .stopped:
      let place = status.lastFix.map { "\($0.coordinate.precise) ± \($0.horizontalAccuracy ?? 0) m" } ?? "nowhere"
      let queues = status.endpoints.map { "\($0.id): \($0.status.waiting)" }.joined(separator: ", ")
      show("\(place); \(status.authorization); \(status.trip?.mode.rawValue ?? "no trip"); waiting: \(queues)")
    }
  }
}

/// Returns the positions that an endpoint does not have yet.
func unsent(_ journal: Journal, of endpoint: Endpoint.ID) throws -> [Fix] {
  try journal.next(endpoint: endpoint.name, limit: 1000).compactMap { item in
    switch item.record.kind {
    case .fix(let fix): fix
    case .visit, .trip, .region, .action: nil
    }
  }
}
