import GodwitApp
import SwiftUI

extension StatusLevel {
  /// The system's colours, which adapt to dark mode. The symbol shows the level without colour.
  var color: Color {
    switch self {
    case .good: .green
    case .quiet: .teal
    case .warning: .orange
    case .bad: .red
    case .off: .gray
    }
  }
}
