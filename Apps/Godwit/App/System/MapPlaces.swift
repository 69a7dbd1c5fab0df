import CoreLocation
import GodwitApp
import MapKit
import SwiftUI

extension MapPoint {
  var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
}

extension MapLine {
  var coordinates: [CLLocationCoordinate2D] { points.map(\.coordinate) }
}

extension MapOutline {
  var coordinates: [CLLocationCoordinate2D] { corners.map(\.coordinate) }
}

extension MapArea {
  /// The visible area of a map.
  init(_ region: MKCoordinateRegion) {
    self.init(
      center: MapPoint(latitude: region.center.latitude, longitude: region.center.longitude),
      latitudeSpan: region.span.latitudeDelta, longitudeSpan: region.span.longitudeDelta)
  }

  var region: MKCoordinateRegion {
    MKCoordinateRegion(
      center: center.coordinate, span: MKCoordinateSpan(latitudeDelta: latitudeSpan, longitudeDelta: longitudeSpan))
  }
}

extension MapCameraPosition {
  init(area: MapArea?) { self = area.map { .region($0.region) } ?? .automatic }

  /// Shows an area, unless the user has moved the map.
  mutating func follow(_ area: MapArea?) {
    if positionedByUser { return }
    self = MapCameraPosition(area: area)
  }
}

extension WifiZoneRow {
  var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
}

extension WifiZoneForm {
  /// Sets the place of a tap. Outside of the map the coordinate is `nil`, and nothing changes.
  func place(at coordinate: CLLocationCoordinate2D?) {
    guard let coordinate else { return }
    place(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }
}
