import AppIntents

/// The modes of a trip, for the system, which reads names without running the app: scripts/check-app compares them with the SDK's.
enum TripModeChoice: String, AppEnum {
  case walk, run, bicycle, car, taxi, bus, tram, train, metro, gondola, monorail, sleigh, plane, boat, scooter

  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Trip mode"
  static let caseDisplayRepresentations: [TripModeChoice: DisplayRepresentation] = [
    .walk: "Walk", .run: "Run", .bicycle: "Bicycle", .car: "Car", .taxi: "Taxi", .bus: "Bus", .tram: "Tram", .train: "Train",
    .metro: "Metro", .gondola: "Gondola", .monorail: "Monorail", .sleigh: "Sleigh", .plane: "Plane", .boat: "Boat",
    .scooter: "Scooter",
  ]
}
