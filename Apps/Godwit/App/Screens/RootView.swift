import Foundation
import GodwitApp
import SwiftUI

/// The root view: the screens of the app, the onboarding, or the reason why the tracker cannot be opened.
struct RootView: View {
  let model: AppModel
  @Bindable var pairing: PairingModel
  @Environment(\.scenePhase) private var phase

  var body: some View {
    Group {
      if model.showsScreens {
        TabsView(model: model)
      } else if model.showsOnboarding {
        OnboardingView(model: model.onboarding)
      } else if let failure = model.failureText {
        FailureView(model: model, text: failure)
      } else {
        ProgressView(model.openingText)
      }
    }
    .background { SecondsView(model: model) }
    .sheet(isPresented: $pairing.isShown) { PairingView(model: pairing) }
    .onOpenURL { model.open(link: $0.absoluteString) }
    .onChange(of: phase, initial: true) { _, phase in model.activity.isInForeground = phase.isActive }
  }
}

/// The tabs.
private struct TabsView: View {
  let model: AppModel

  var body: some View {
    TabView {
      Tab(model.tabs.tracker, systemImage: "location.fill") {
        TrackerView(title: model.tabs.tracker, model: model.tracker, servers: model.servers, pairing: model.pairing)
      }
      Tab(model.tabs.trip, systemImage: "figure.walk") { TripView(title: model.tabs.trip, model: model.trip) }
      Tab(model.tabs.map, systemImage: "map.fill") { MapScreen(model: model.map) }
      Tab(model.tabs.settings, systemImage: "gearshape.fill") { SettingsView(model: model.settings) }
      Tab(model.tabs.more, systemImage: "ellipsis.circle") { MoreView(model: model) }
    }
  }
}

/// The reason why the tracker cannot be opened.
private struct FailureView: View {
  let model: AppModel
  let text: String

  var body: some View {
    ContentUnavailableView {
      Label(model.failureTitle, systemImage: "xmark.octagon.fill")
    } description: {
      Text(text)
    } actions: {
      Button(model.retryLabel) { model.retry() }
        .buttonStyle(.borderedProminent)
      if model.canResetServers {
        Button(model.resetServersLabel, role: .destructive) { model.resetServers() }
      }
    }
  }
}

/// Updates ages and durations every second while a screen is visible.
private struct SecondsView: View {
  let model: AppModel

  var body: some View {
    TimelineView(.periodic(from: .now, by: 1)) { context in
      Color.clear.onChange(of: context.date) { _, now in model.tick(now) }
    }
    .accessibilityHidden(true)
  }
}
