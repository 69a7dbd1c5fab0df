import CoreLocation
import GodwitApp
import MapKit

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
  var region: MKCoordinateRegion {
    MKCoordinateRegion(
      center: center.coordinate, span: MKCoordinateSpan(latitudeDelta: latitudeSpan, longitudeDelta: longitudeSpan))
  }
}

extension WifiZoneRow {
  var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
}

extension WifiZoneForm {
  /// Sets the place of a tap; outside of the map there is none.
  func place(at coordinate: CLLocationCoordinate2D?) {
    guard let coordinate else { return }
    place(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }
}
