import AppIntents

/// The modes of a trip. The names are literals, because the system reads them without running the app. scripts/check-app compares the
/// modes with those of the SDK.
enum TripModeChoice: String, AppEnum {
  case walk, run, bicycle, car, taxi, bus, tram, train, metro, gondola, monorail, sleigh, plane, boat, scooter

  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Trip mode"
  static let caseDisplayRepresentations: [TripModeChoice: DisplayRepresentation] = [
    .walk: "Walk", .run: "Run", .bicycle: "Bicycle", .car: "Car", .taxi: "Taxi", .bus: "Bus", .tram: "Tram", .train: "Train",
    .metro: "Metro", .gondola: "Gondola", .monorail: "Monorail", .sleigh: "Sleigh", .plane: "Plane", .boat: "Boat",
    .scooter: "Scooter",
  ]
}
