import SwiftUI

extension ScenePhase {
  /// Whether the app is in front and takes input.
  var isActive: Bool { self == .active }
}
