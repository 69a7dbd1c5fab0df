internal import Foundation

// Archiving with `NSKeyedArchiver`. The keys differ from Apple's, so archives are not compatible.

extension CLLocation.Values {
  private enum Key: String {
    case latitude, longitude, altitude, horizontalAccuracy, verticalAccuracy, course, courseAccuracy, speed, speedAccuracy
    case timestamp, isSimulated, isAccessory
  }

  func encode(with coder: NSCoder) {
    func put(_ value: Double, _ key: Key) { coder.encode(value, forKey: key.rawValue) }
    put(coordinate.latitude, .latitude)
    put(coordinate.longitude, .longitude)
    put(altitude, .altitude)
    put(horizontalAccuracy, .horizontalAccuracy)
    put(verticalAccuracy, .verticalAccuracy)
    put(course, .course)
    put(courseAccuracy, .courseAccuracy)
    put(speed, .speed)
    put(speedAccuracy, .speedAccuracy)
    put(timestamp.timeIntervalSinceReferenceDate, .timestamp)
    guard let sourceInformation else { return }
    coder.encode(sourceInformation.isSimulatedBySoftware, forKey: Key.isSimulated.rawValue)
    coder.encode(sourceInformation.isProducedByAccessory, forKey: Key.isAccessory.rawValue)
  }

  /// Reads values that `encode(with:)` wrote; `nil`: a value is missing.
  init?(coder: NSCoder) {
    let numbers: [Key] = [
      .latitude, .longitude, .altitude, .horizontalAccuracy, .verticalAccuracy, .course, .courseAccuracy, .speed,
      .speedAccuracy, .timestamp,
    ]
    guard numbers.allSatisfy({ coder.containsValue(forKey: $0.rawValue) }) else { return nil }
    func number(_ key: Key) -> Double { coder.decodeDouble(forKey: key.rawValue) }
    let source =
      coder.containsValue(forKey: Key.isSimulated.rawValue)
      ? CLLocationSourceInformation(
        softwareSimulationState: coder.decodeBool(forKey: Key.isSimulated.rawValue),
        andExternalAccessoryState: coder.decodeBool(forKey: Key.isAccessory.rawValue)) : nil
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: number(.latitude), longitude: number(.longitude)),
      altitude: number(.altitude), horizontalAccuracy: number(.horizontalAccuracy),
      verticalAccuracy: number(.verticalAccuracy), course: number(.course), courseAccuracy: number(.courseAccuracy),
      speed: number(.speed), speedAccuracy: number(.speedAccuracy),
      timestamp: Date(timeIntervalSinceReferenceDate: number(.timestamp)), sourceInformation: source)
  }
}
