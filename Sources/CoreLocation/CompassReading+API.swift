internal import GodwitReceivers

extension CLHeading {
  /// Creates a heading from a reading. A recording has no components of the magnetic field, so they are 0. If only the
  /// geographic heading is known, it is used as the magnetic heading too.
  convenience init(_ reading: CompassReading) {
    self.init(
      magneticHeading: reading.magnetic ?? reading.geographic ?? -1, trueHeading: reading.geographic ?? -1,
      headingAccuracy: reading.accuracy, x: 0, y: 0, z: 0, timestamp: reading.time)
  }
}
