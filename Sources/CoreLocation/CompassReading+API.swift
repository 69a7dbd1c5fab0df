internal import GodwitReceivers

extension CLHeading {
  /// A recording does not have the components of the magnetic field: they are 0. Where only the geographic heading is known, and
  /// not the magnetic variation, it stands for the magnetic one as well.
  convenience init(_ reading: CompassReading) {
    self.init(
      magneticHeading: reading.magnetic ?? reading.geographic ?? -1, trueHeading: reading.geographic ?? -1,
      headingAccuracy: reading.accuracy, x: 0, y: 0, z: 0, timestamp: reading.time)
  }
}
