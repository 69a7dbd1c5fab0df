import Foundation
import GodwitApp
import SwiftUI

/// The last 24 hours: where positions are missing, and why.
struct CoverageView: View {
  let model: CoverageModel

  var body: some View {
    List {
      if let empty = model.emptyText { Text(empty).foregroundStyle(.secondary) }
      Section {
        DayBar(model: model)
        ProgressView(model.shareText, value: model.share)
        ForEach(model.reasons) { FigureRow(figure: $0) }
      } footer: {
        Text(model.explanation)
      }
      Section(model.gapsTitle) {
        if let note = model.noGapsText { Text(note).foregroundStyle(.secondary) }
        ForEach(model.gaps) { GapRow(gap: $0) }
      }
      Section {
        ForEach(model.segments) { CoverageRow(segment: $0) }
      }
    }
    .navigationTitle(model.title)
  }
}

/// The 24 hours as a bar in the colours of the rows.
private struct DayBar: View {
  let model: CoverageModel
  @ScaledMetric private var height: CGFloat = 24

  var body: some View {
    ShareLayout {
      ForEach(model.segments) { segment in
        Rectangle()
          .fill(segment.level.color)
          .layoutValue(key: ShareOfWidth.self, value: segment.share)
      }
    }
    .frame(minHeight: height, maxHeight: height)
    .accessibilityElement(children: .ignore)
    .accessibilityLabel(model.accessibilitySummary)
  }
}

/// A period in which requested positions are missing.
private struct GapRow: View {
  let gap: CoverageGap

  var body: some View {
    Label {
      VStack(alignment: .leading) {
        Text(gap.title)
        Text(gap.timeText).monospacedDigit()
        Text(gap.explanation).font(.footnote).foregroundStyle(.secondary)
      }
    } icon: {
      Image(systemName: gap.level.symbol).foregroundStyle(gap.level.color)
    }
    .accessibilityElement(children: .ignore)
    .accessibilityLabel(gap.accessibilityLabel)
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
