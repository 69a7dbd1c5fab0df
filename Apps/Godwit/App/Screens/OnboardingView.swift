import GodwitApp
import SwiftUI

/// A step of the onboarding: what it requests, and why.
struct OnboardingView: View {
  let model: OnboardingModel

  var body: some View {
    ScrollView {
      VStack {
        Image(systemName: model.symbol)
          .font(.largeTitle)
          .imageScale(.large)
          .foregroundStyle(.tint)
          .padding()
          .accessibilityHidden(true)
        Text(model.title)
          .font(.title)
          .bold()
          .multilineTextAlignment(.center)
          .accessibilityAddTraits(.isHeader)
        Text(model.reason)
          .multilineTextAlignment(.center)
          .foregroundStyle(.secondary)
      }
      .padding()
    }
    .safeAreaInset(edge: .bottom) { OnboardingButtons(model: model) }
  }
}

private struct OnboardingButtons: View {
  let model: OnboardingModel

  var body: some View {
    VStack {
      Button(model.actionLabel) { model.act() }
        .buttonStyle(.borderedProminent)
        .controlSize(.large)
      if model.canSkip {
        Button(model.skipLabel) { model.skip() }
      }
      Text(model.progressText)
        .font(.footnote)
        .foregroundStyle(.secondary)
    }
    .padding()
  }
}
