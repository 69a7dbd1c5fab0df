import AppIntents
import Foundation
import GodwitApp

struct StartTrackingIntent: AppIntent {
  static let title: LocalizedStringResource = "Start tracking"
  @Dependency private var model: AppModel

  @MainActor
  func perform() async throws -> some IntentResult & ProvidesDialog {
    await model.ready()
    return .result(dialog: IntentDialog(stringLiteral: model.actions.startTracking()))
  }
}

struct StopTrackingIntent: AppIntent {
  static let title: LocalizedStringResource = "Stop tracking"
  @Dependency private var model: AppModel

  @MainActor
  func perform() async throws -> some IntentResult & ProvidesDialog {
    await model.ready()
    return .result(dialog: IntentDialog(stringLiteral: model.actions.stopTracking()))
  }
}

struct StartTripIntent: AppIntent {
  static let title: LocalizedStringResource = "Start a trip"
  /// Without a mode, the trip has the mode that is chosen in the app.
  @Parameter(title: "Trip mode") var mode: TripModeChoice?
  @Dependency private var model: AppModel

  @MainActor
  func perform() async throws -> some IntentResult & ProvidesDialog {
    await model.ready()
    return .result(dialog: IntentDialog(stringLiteral: model.actions.startTrip(mode?.rawValue)))
  }
}

struct StopTripIntent: AppIntent {
  static let title: LocalizedStringResource = "Stop the trip"
  @Dependency private var model: AppModel

  @MainActor
  func perform() async throws -> some IntentResult & ProvidesDialog {
    await model.ready()
    return .result(dialog: IntentDialog(stringLiteral: model.actions.stopTrip()))
  }
}

struct SendNowIntent: AppIntent {
  static let title: LocalizedStringResource = "Send locations now"
  @Dependency private var model: AppModel

  @MainActor
  func perform() async throws -> some IntentResult & ProvidesDialog {
    await model.ready()
    return .result(dialog: IntentDialog(stringLiteral: model.actions.sendNow()))
  }
}

struct WhereWasIIntent: AppIntent {
  static let title: LocalizedStringResource = "Where was I?"
  @Parameter(title: "Time") var time: Date
  @Dependency private var model: AppModel

  @MainActor
  func perform() async throws -> some IntentResult & ProvidesDialog {
    await model.ready()
    return .result(dialog: IntentDialog(stringLiteral: await model.actions.whereWasI(at: time)))
  }
}
