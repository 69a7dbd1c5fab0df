internal import GodwitModel

extension Notice {
  static let updatesPaused = Notice(
    kind: .pause, title: "Tracking paused", body: "The system paused updates because you stand still.")
  static let updatesResumed = Notice(kind: .pause, title: "Tracking resumed", body: "The system tells the location again.")
  static let pausePlaceLeft = Notice(kind: .pause, title: "Tracking resumed", body: "You left the place of the pause.")
  static let tripBegan = Notice(kind: .trip, title: "Trip began", body: "It ends by itself when you rest.", answers: [.endTrip])
  static let tripPaused = Notice(
    kind: .endTrip, title: "End the trip?", body: "You stand still. In ten minutes the trip ends by itself.",
    answers: [.endTrip, .keepTrip])
  static let arrived = Notice(
    kind: .endTrip, title: "End the trip?", body: "You seem to have arrived.", answers: [.endTrip, .keepTrip])

  /// - Parameter byMotion: it rested; else the system's pause lasted too long.
  static func tripEnded(byMotion: Bool) -> Notice {
    Notice(kind: .trip, title: "Trip ended", body: byMotion ? "You have rested." : "You have not moved for ten minutes.")
  }

  static func permissionMissing(_ problem: String) -> Notice {
    Notice(kind: .authorization, title: "No permission", body: problem + " Nothing is recorded until that is changed.")
  }

  static func gap(minutes: Int) -> Notice {
    let time = minutes < 120 ? "\(minutes) minutes" : minutes < 2880 ? "\(minutes / 60) hours" : "\(minutes / 1440) days"
    return Notice(
      kind: .gap, title: "Tracking goes on", body: "The tracker did not run for \(time). Nothing was recorded then.")
  }

  static func settingsChanged(_ changes: [SettingChange], by endpoint: EndpointID) -> Notice {
    Notice(
      kind: .settings, title: "Settings changed by \(endpoint)", body: changes.map(\.description).joined(separator: "\n"))
  }

  static func settingsRestored(_ changes: [SettingChange], of endpoint: EndpointID) -> Notice {
    Notice(
      kind: .settings, title: "Settings restored",
      body: "\(endpoint) was not reached for a day after it changed settings. Restored: "
        + changes.map(\.description).joined(separator: "; "))
  }
}
