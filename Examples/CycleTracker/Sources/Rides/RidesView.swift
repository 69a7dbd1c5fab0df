#if canImport(SwiftUI) && canImport(MapKit)
  // Linux does not compile this file, so it contains no logic: everything it shows comes from RidesModel.
  import CoreLocation
  import Foundation
  import Godwit
  import MapKit
  public import SwiftUI

  /// The list of rides, each with its track on a map.
  public struct RidesView: View {
    private let model: RidesModel

    public init(_ model: RidesModel) { self.model = model }

    public var body: some View {
      NavigationStack {
        List {
          Section {
            Text(model.headline)
            if model.status?.isTracking != true { Button("Record my rides") { model.start() } }
            if let problem = model.problem { Text(problem).foregroundStyle(.red) }
          }
          Section("Rides") {
            ForEach(model.rides) { ride in
              NavigationLink {
                RideMap(ride: ride)
              } label: {
                VStack(alignment: .leading) {
                  Text(ride.start, format: .dateTime)
                  Text(ride.summary).font(.caption)
                }
              }
            }
          }
        }
        .navigationTitle("Cycle tracker")
      }
    }
  }

  private struct RideMap: View {
    let ride: Ride

    var body: some View {
      Map {
        MapPolyline(
          coordinates: ride.fixes.map {
            CLLocationCoordinate2D(latitude: $0.coordinate.latitude, longitude: $0.coordinate.longitude)
          }
        )
        .stroke(.red, lineWidth: 4)
      }
      .navigationTitle(ride.summary)
    }
  }
#endif
