import GodwitApp
import SwiftUI

/// A title and its value.
struct FigureRow: View {
  let figure: Figure

  var body: some View {
    LabeledContent(figure.title, value: figure.value)
      .monospacedDigit()
      .accessibilityElement(children: .ignore)
      .accessibilityLabel(figure.accessibilityLabel)
  }
}
