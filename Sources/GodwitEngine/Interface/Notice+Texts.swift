internal import GodwitModel

extension Notice {
  static let updatesPaused = Notice(
    kind: .pause, title: "Tracking paused", body: "The system paused updates because you stand still.")
  static let updatesResumed = Notice(kind: .pause, title: "Tracking resumed", body: "The system provides locations again.")
  static let pausePlaceLeft = Notice(kind: .pause, title: "Tracking resumed", body: "You moved away from the place of the pause.")
  static let tripBegan = Notice(
    kind: .trip, title: "Trip started", body: "It ends automatically when you stop.", responses: [.endTrip])
  static let tripPaused = Notice(
    kind: .endTrip, title: "End the trip?", body: "You stopped moving. The trip ends automatically in ten minutes.",
    responses: [.endTrip, .keepTrip])
  static let arrived = Notice(
    kind: .endTrip, title: "End the trip?", body: "You seem to have arrived.", responses: [.endTrip, .keepTrip])

  /// - Parameter byMotion: whether the motion of the trip has ended; otherwise the pause of the system lasted too long.
  static func tripEnded(byMotion: Bool) -> Notice {
    Notice(kind: .trip, title: "Trip ended", body: byMotion ? "You stopped moving." : "You have not moved for ten minutes.")
  }

  static func permissionMissing(_ problem: String) -> Notice {
    Notice(kind: .authorization, title: "No permission", body: problem + " Nothing is recorded until you change that.")
  }

  static func gap(minutes: Int) -> Notice {
    let time = minutes < 120 ? "\(minutes) minutes" : minutes < 2880 ? "\(minutes / 60) hours" : "\(minutes / 1440) days"
    return Notice(
      kind: .gap, title: "Tracking continues", body: "The tracker did not run for \(time). Nothing was recorded in that time.")
  }

  static func settingsChanged(_ changes: [SettingChange], by endpoint: EndpointID) -> Notice {
    Notice(
      kind: .settings, title: "Settings changed by \(endpoint)", body: changes.map(\.description).joined(separator: "\n"))
  }

  static func settingsRestored(_ changes: [SettingChange], of endpoint: EndpointID) -> Notice {
    Notice(
      kind: .settings, title: "Settings restored",
      body: "\(endpoint) was not reachable for a day after it changed settings. Restored: "
        + changes.map(\.description).joined(separator: "; "))
  }
}
