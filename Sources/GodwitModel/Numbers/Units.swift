/// A length in metres.
public typealias Meters = Double
/// A speed in metres per second.
public typealias MetersPerSecond = Double
/// An angle in degrees: latitude, longitude, or a course clockwise from true north.
public typealias Degrees = Double
