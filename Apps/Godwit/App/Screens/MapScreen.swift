import Foundation
import GodwitApp
import MapKit
import SwiftUI

/// The way of a day on a map.
struct MapScreen: View {
  let model: MapModel

  var body: some View {
    NavigationStack {
      DayMap(model: model)
        .safeAreaInset(edge: .bottom) { DayBar(model: model) }
        .navigationTitle(model.title)
    }
  }
}

private struct DayMap: View {
  let model: MapModel

  var body: some View {
    Map {
      ForEach(model.lines) { line in
        MapPolyline(coordinates: line.coordinates)
          .stroke(.tint, lineWidth: 4)
      }
      if let position = model.position {
        MapKit.MapCircle(center: position.coordinate, radius: model.accuracy)
          .foregroundStyle(.tint.opacity(0.2))
        Marker(model.positionLabel, systemImage: "location.fill", coordinate: position.coordinate)
      }
    }
    .accessibilityLabel(model.accessibilityLabel)
  }
}

/// The day, its distance, and what the server may add.
private struct DayBar: View {
  let model: MapModel

  var body: some View {
    VStack {
      HStack {
        Button(model.previousDayLabel, systemImage: "chevron.left") { model.showPreviousDay() }
        Spacer()
        VStack {
          Text(model.dayText).font(.headline)
          Text(model.distanceText).font(.subheadline)
        }
        .accessibilityElement(children: .combine)
        Spacer()
        Button(model.nextDayLabel, systemImage: "chevron.right") { model.showNextDay() }
          .disabled(!model.canShowNextDay)
      }
      .labelStyle(.iconOnly)
      if let empty = model.emptyText { Text(empty).font(.footnote) }
      if let problem = model.problem { Label(problem, systemImage: "exclamationmark.triangle.fill").font(.footnote) }
      if model.hasHistoryServer { HistoryBar(model: model) }
    }
    .padding()
    .background(.regularMaterial)
  }
}

private struct HistoryBar: View {
  @Bindable var model: MapModel

  var body: some View {
    if model.hasReadingToken {
      Button(model.loadLabel) { model.load() }
        .disabled(!model.canLoad)
    } else {
      HStack {
        SecureField(model.tokenLabel, text: $model.enteredToken)
          .accessibilityHint(model.tokenExplanation)
        Button(model.saveLabel) { model.saveToken() }
          .disabled(!model.canSaveToken)
      }
      Text(model.tokenExplanation).font(.footnote).foregroundStyle(.secondary)
    }
  }
}
