// The places around a position, and its address, from OpenStreetMap. It is compiled with every build.
import GodwitPlaces

let places = try OpenStreetMapPlaces(userAgent: "ExampleApp/1.2 (me@app.example)")
if let coordinate = Coordinate(latitude: 52.5163, longitude: 13.3777) {
  for place in try await places.places(near: coordinate, radius: 150, limit: 5) {
    print("\(Int(place.distance)) m  \(place.name ?? place.categories.first ?? place.id)")
  }
  print(try await places.address(at: coordinate).text)
  print(OpenStreetMapPlaces.attribution)
}
