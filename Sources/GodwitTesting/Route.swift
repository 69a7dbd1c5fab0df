internal import Foundation
public import GodwitModel
public import GodwitSimulator

/// A path that is built piece by piece. Each piece starts at the place and time at which the previous one ended.
///
///     let route = Route().stay(600).walk(1_800, toward: .north).drive(1_200, toward: .east).tunnel(90).stay(600)
public struct Route: Sendable, Hashable {
  /// A direction over ground.
  public struct Heading: Sendable, Hashable {
    /// Degrees clockwise from true north, 0…360.
    public var degrees: Degrees

    public init(degrees: Degrees) { self.degrees = degrees }

    public static let north = Heading(degrees: 0)
    public static let northeast = Heading(degrees: 45)
    public static let east = Heading(degrees: 90)
    public static let southeast = Heading(degrees: 135)
    public static let south = Heading(degrees: 180)
    public static let southwest = Heading(degrees: 225)
    public static let west = Heading(degrees: 270)
    public static let northwest = Heading(degrees: 315)

    /// Headings by their names in a scenario.
    static let named: [String: Heading] = [
      "north": north, "northeast": northeast, "east": east, "southeast": southeast, "south": south, "southwest": southwest,
      "west": west, "northwest": northwest,
    ]
  }

  /// 2026-11-20T08:00:00Z, the default start time of a path.
  public static let morning = SimulatedTime(microseconds: 1_795_161_600_000_000)
  // Valid: within −90…90 and −180…180.
  /// The default start of a path.
  public static let home = Coordinate(latitude: 45.5, longitude: 14)!
  /// Seconds between two samples of a movement.
  static let step = 5.0

  /// Start time.
  public let start: SimulatedTime
  /// Current end of the path, as place and time.
  public private(set) var place: Coordinate
  public private(set) var end: SimulatedTime
  /// Samples of the path, each with its time.
  public private(set) var samples: [Fix]
  /// Environments that the pieces specify.
  public private(set) var stretches: [TruthRules.Stretch] = []
  /// Environment outdoors for all other parts.
  public var surroundings = Surroundings.only(.suburb)
  private var speed: MetersPerSecond = 0
  private var heading = Heading.north

  /// - Parameters:
  ///   - start: Start time.
  ///   - place: Start place.
  public init(from start: SimulatedTime = Route.morning, at place: Coordinate = Route.home) {
    self.start = start
    self.place = place
    end = start
    samples = [Fix(time: start.date, coordinate: place)]
  }

  /// Adds straight movement.
  /// - Parameters:
  ///   - seconds: Duration.
  ///   - speed: Metres per second.
  ///   - heading: Direction.
  ///   - environment: Environment; `nil` for ``surroundings``.
  public func go(
    _ seconds: Double, at speed: MetersPerSecond, toward heading: Heading, in environment: Environment? = nil
  ) -> Route {
    var route = self
    let (from, begin) = (place, end)
    route.end = begin + max(0, seconds)
    let length = route.end - begin
    var passed = 0.0
    while passed < length {
      passed = min(length, passed + Self.step)
      route.place = GreatCircle.destination(from: from, course: heading.degrees, distance: speed * passed)
      route.samples.append(Fix(time: (begin + passed).date, coordinate: route.place))
    }
    (route.speed, route.heading) = (speed, heading)
    return route.marked(environment, from: begin)
  }

  /// Adds walking at 1.4 m/s.
  /// - Parameters:
  ///   - seconds: Duration.
  ///   - heading: Direction.
  public func walk(_ seconds: Double, toward heading: Heading) -> Route { go(seconds, at: 1.4, toward: heading) }

  /// Adds driving at 15 m/s.
  /// - Parameters:
  ///   - seconds: Duration.
  ///   - heading: Direction.
  public func drive(_ seconds: Double, toward heading: Heading) -> Route { go(seconds, at: 15, toward: heading) }

  /// Continues with the last speed and heading underground, without satellites and networks.
  /// - Parameter seconds: Duration.
  public func tunnel(_ seconds: Double) -> Route { go(seconds, at: speed, toward: heading, in: .underground) }

  /// Adds a stay at the current place.
  /// - Parameters:
  ///   - seconds: Duration.
  ///   - environment: Environment; `nil` for indoors from five minutes on, and ``surroundings`` for a shorter stay.
  public func stay(_ seconds: Double, in environment: Environment? = nil) -> Route {
    var route = self
    let begin = end
    route.end = begin + max(0, seconds)
    if route.end > begin { route.samples.append(Fix(time: route.end.date, coordinate: place)) }
    return route.marked(environment, from: begin)
  }

  /// Adds a recorded track, shifted in time to start now. Later pieces continue from its end.
  /// - Parameter track: Positions sorted by time.
  public func follow(_ track: [Fix]) -> Route {
    guard let first = track.first else { return self }
    var route = self
    // An empty path starts at the first position of the track, without movement to it.
    if end == start { route.samples = [] }
    for fix in track {
      var moved = fix
      moved.time = end.date.addingTimeInterval(fix.time.timeIntervalSince(first.time))
      route.samples.append(moved)
      route.place = fix.coordinate
      route.end = SimulatedTime(moved.time)
    }
    return route
  }

  private func marked(_ environment: Environment?, from begin: SimulatedTime) -> Route {
    guard let environment else { return self }
    var route = self
    route.stretches.append(TruthRules.Stretch(from: begin, to: end, environment: environment))
    return route
  }

  /// The true positions along the route.
  public var truth: Truth {
    var rules = TruthRules()
    rules.surroundings = surroundings
    rules.stretches = stretches
    // Truth requires one sample. A route always has its start.
    return try! Truth(days: [samples], rules: rules)
  }
}

extension Fix {
  /// Creates a position as a receiver reports it.
  /// - Parameters:
  ///   - time: Time of the measurement.
  ///   - north: Metres north of `home`.
  ///   - east: Metres east of `home`.
  ///   - accuracy: Horizontal accuracy in metres.
  ///   - home: The origin.
  /// - Returns: The position.
  public static func near(
    _ home: Coordinate = Route.home, at time: SimulatedTime, north: Meters = 0, east: Meters = 0, accuracy: Meters = 5
  ) -> Fix {
    let place = GreatCircle.destination(from: home, course: north < 0 ? 180 : 0, distance: abs(north))
    return Fix(
      time: time.date, coordinate: GreatCircle.destination(from: place, course: east < 0 ? 270 : 90, distance: abs(east)),
      horizontalAccuracy: accuracy)
  }
}
