import GodwitApp
import SwiftUI

extension StatusLevel {
  /// The system's colours, which have a dark form of their own. The symbol says the same without colour.
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
