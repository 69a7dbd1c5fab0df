import AppIntents
import Foundation

/// The shortcuts that the app offers without any setup.
struct Shortcuts: AppShortcutsProvider {
  static var appShortcuts: [AppShortcut] {
    AppShortcut(
      intent: StartTrackingIntent(), phrases: ["Start tracking with \(.applicationName)"], shortTitle: "Start tracking",
      systemImageName: "location.fill")
    AppShortcut(
      intent: StopTrackingIntent(), phrases: ["Stop tracking with \(.applicationName)"], shortTitle: "Stop tracking",
      systemImageName: "location.slash")
    AppShortcut(
      intent: StartTripIntent(), phrases: ["Start a trip with \(.applicationName)"], shortTitle: "Start a trip",
      systemImageName: "figure.walk")
    AppShortcut(
      intent: StopTripIntent(), phrases: ["Stop my trip with \(.applicationName)"], shortTitle: "Stop the trip",
      systemImageName: "stop.fill")
    AppShortcut(
      intent: SendNowIntent(), phrases: ["Send my locations with \(.applicationName)"], shortTitle: "Send locations now",
      systemImageName: "paperplane.fill")
    AppShortcut(
      intent: WhereWasIIntent(), phrases: ["Ask \(.applicationName) where I was"], shortTitle: "Where was I?",
      systemImageName: "mappin.and.ellipse")
  }
}
