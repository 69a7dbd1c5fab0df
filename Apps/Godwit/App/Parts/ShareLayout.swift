import Foundation
import GodwitApp
import SwiftUI

/// Where a part lies in a bar: its begin and its width as shares of the whole, 0…1.
struct ShareOfWidth: LayoutValueKey {
  static let defaultValue = ShareOfWidth(start: 0, width: 0)

  var start: Double
  var width: Double
}

/// Lays parts beside each other, each as wide as its share.
struct ShareLayout: Layout {
  func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout ()) -> CGSize {
    proposal.replacingUnspecifiedDimensions()
  }

  func placeSubviews(in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout ()) {
    for part in subviews {
      let share = part[ShareOfWidth.self]
      part.place(
        at: CGPoint(x: bounds.minX + share.start * bounds.width, y: bounds.minY), anchor: .topLeading,
        proposal: ProposedViewSize(width: share.width * bounds.width, height: bounds.height))
    }
  }
}

extension CoverageSegment {
  var share: ShareOfWidth { ShareOfWidth(start: start, width: width) }
}
