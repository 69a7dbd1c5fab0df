import GodwitApp
import SwiftUI

@main
struct GodwitMain: App {
  @UIApplicationDelegateAdaptor private var delegate: AppDelegate

  var body: some Scene {
    WindowGroup { RootView(model: delegate.model, pairing: delegate.model.pairing) }
  }
}
