import GodwitApp
import MapKit
import SwiftUI

/// The regions around the device.
struct RegionsView: View {
  let model: RegionsModel

  var body: some View {
    List {
      if let empty = model.emptyText { Text(empty).foregroundStyle(.secondary) }
      if let problem = model.problem { Label(problem, systemImage: "exclamationmark.triangle.fill") }
      if model.isAvailable {
        Section {
          if let area = model.area { RegionsMap(model: model, area: area) }
          Text(model.countText)
          Text(model.syncText).font(.footnote).foregroundStyle(.secondary)
          Button(model.syncLabel, systemImage: "arrow.triangle.2.circlepath") { model.sync() }
        }
        Section(model.insideTitle) { ForEach(model.inside) { RegionRowView(region: $0) } }
        Section(model.nearTitle) { ForEach(model.near) { RegionRowView(region: $0) } }
        Section(model.beaconsTitle) { ForEach(model.beacons) { RegionRowView(region: $0) } }
      }
    }
    .navigationTitle(model.title)
  }
}

private struct RegionRowView: View {
  let region: RegionRow

  var body: some View {
    LabeledContent(region.name, value: region.distanceText)
      .accessibilityElement(children: .ignore)
      .accessibilityLabel(region.accessibilityLabel)
  }
}

/// The regions of the rows, as circles and polygons.
private struct RegionsMap: View {
  let model: RegionsModel
  /// The initial area of the map. Later the user moves the map.
  let area: MapArea

  var body: some View {
    Map(initialPosition: .region(area.region)) {
      ForEach(model.outlines) { outline in
        MapPolygon(coordinates: outline.coordinates)
          .foregroundStyle(.tint.opacity(outline.isInside ? 0.4 : 0.2))
      }
      ForEach(model.inside) { RegionCircle(region: $0) }
      ForEach(model.near) { RegionCircle(region: $0) }
    }
    .aspectRatio(contentMode: .fit)
    .accessibilityHidden(true)
  }
}

private struct RegionCircle: MapContent {
  let region: RegionRow

  var body: some MapContent {
    if let circle = region.circle {
      MapKit.MapCircle(center: circle.center.coordinate, radius: circle.radius)
        .foregroundStyle(.tint.opacity(region.isInside ? 0.4 : 0.2))
    }
  }
}
