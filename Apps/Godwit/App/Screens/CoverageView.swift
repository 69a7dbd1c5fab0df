import GodwitApp
import SwiftUI

/// The last 24 hours: where positions are missing, and why.
struct CoverageView: View {
  let model: CoverageModel

  var body: some View {
    List {
      if let empty = model.emptyText { Text(empty).foregroundStyle(.secondary) }
      Section {
        ProgressView(model.shareText, value: model.share)
        ForEach(model.reasons) { FigureRow(figure: $0) }
      } footer: {
        Text(model.explanation)
      }
      Section {
        ForEach(model.segments) { CoverageRow(segment: $0) }
      }
    }
    .navigationTitle(model.title)
  }
}

private struct CoverageRow: View {
  let segment: CoverageSegment

  var body: some View {
    Label {
      VStack(alignment: .leading) {
        LabeledContent(segment.timeText, value: segment.durationText)
          .monospacedDigit()
        Text(segment.title)
        Text(segment.explanation).font(.footnote).foregroundStyle(.secondary)
        Text(segment.fixesText).font(.footnote)
      }
    } icon: {
      Image(systemName: segment.level.symbol).foregroundStyle(segment.level.color)
    }
    .accessibilityElement(children: .ignore)
    .accessibilityLabel(segment.accessibilityLabel)
    .accessibilityHint(segment.explanation)
  }
}
