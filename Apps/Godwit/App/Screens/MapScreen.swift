import Foundation
import GodwitApp
import MapKit
import SwiftUI

/// The track of a day on a map.
struct MapScreen: View {
  let model: MapModel

  var body: some View {
    NavigationStack {
      DayMap(model: model)
        .safeAreaInset(edge: .bottom) { DayBar(model: model) }
        .navigationTitle(model.title)
    }
    .onAppear { model.appear() }
    .onDisappear { model.disappear() }
  }
}

private struct DayMap: View {
  let model: MapModel
  @State private var camera = MapCameraPosition.automatic

  var body: some View {
    GeometryReader { geometry in
      Map(position: $camera) {
        if model.overview.isShown {
          ForEach(model.overview.lines) { TrackLine(line: $0) }
        } else {
          ForEach(model.lines) { TrackLine(line: $0) }
        }
        if let position = model.position {
          MapKit.MapCircle(center: position.coordinate, radius: model.accuracy)
            .foregroundStyle(.tint.opacity(0.2))
          Marker(model.positionLabel, systemImage: "location.fill", coordinate: position.coordinate)
        }
      }
      .onMapCameraChange { context in
        model.overview.moved(to: MapArea(context.region), width: geometry.size.width)
      }
    }
    // Lines of all time extend beyond the visible area, so the camera follows the day and not the drawn lines.
    .onChange(of: model.area, initial: true) { _, area in camera.follow(area) }
    .onChange(of: model.date) { camera = MapCameraPosition(area: model.area) }
    .accessibilityLabel(model.accessibilityLabel)
  }
}

private struct TrackLine: MapContent {
  let line: MapLine

  var body: some MapContent {
    MapPolyline(coordinates: line.coordinates)
      .stroke(.tint, lineWidth: 4)
  }
}

/// The day, its distance, and the controls for the overview and for the history on the server.
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
      if model.overview.canShow { OverviewBar(overview: model.overview) }
      if model.hasHistoryServer { HistoryBar(model: model) }
    }
    .padding()
    .background(.regularMaterial)
  }
}

/// The switch that shows all time instead of a day.
private struct OverviewBar: View {
  @Bindable var overview: OverviewModel

  var body: some View {
    Toggle(overview.label, isOn: $overview.isShown)
    if let problem = overview.problem { Label(problem, systemImage: "exclamationmark.triangle.fill").font(.footnote) }
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
