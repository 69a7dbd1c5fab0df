import SwiftUI

@main
struct GodwitWatchMain: App {
  @State private var link = PhoneLink()

  var body: some Scene {
    WindowGroup { WatchView(model: link.model) }
  }
}
