import SwiftUI

extension ScenePhase {
  /// Whether the app is in the foreground and receives input.
  var isActive: Bool { self == .active }
}
