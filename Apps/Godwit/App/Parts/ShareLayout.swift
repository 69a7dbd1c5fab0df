import Foundation
import GodwitApp
import SwiftUI

/// The position of a part in a bar: its start and its width as fractions of the bar, 0…1.
struct ShareOfWidth: LayoutValueKey {
  static let defaultValue = ShareOfWidth(start: 0, width: 0)

  var start: Double
  var width: Double
}

/// Places parts side by side, each with its fraction of the width.
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
