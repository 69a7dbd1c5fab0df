internal import Foundation
public import GodwitModel
public import GodwitSimulator

/// A path that is built piece by piece. Each piece begins where and when the one before it ended.
///
///     let way = Way().stay(600).walk(1_800, toward: .north).drive(1_200, toward: .east).tunnel(90).stay(600)
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

    /// By the words of a scenario.
    static let named: [String: Heading] = [
      "north": north, "northeast": northeast, "east": east, "southeast": southeast, "south": south, "southwest": southwest,
      "west": west, "northwest": northwest,
    ]
  }

  /// 2026-11-20, 08:00 UTC: the default start time of a path.
  public static let morning = SimulatedTime(microseconds: 1_795_161_600_000_000)
  // Valid: within −90…90 and −180…180.
  /// The default start of a path.
  public static let home = Coordinate(latitude: 45.5, longitude: 14)!
  /// Seconds between two samples of a movement.
  static let step = 5.0

  /// When it begins.
  public let start: SimulatedTime
  /// Where it ends so far, and when.
  public private(set) var place: Coordinate
  public private(set) var end: SimulatedTime
  /// The places that it leads through, each with its time.
  public private(set) var samples: [Fix]
  /// What is around, where the pieces say it.
  public private(set) var stretches: [TruthRules.Stretch] = []
  /// What is around anywhere else outdoors.
  public var surroundings = Surroundings.only(.suburb)
  private var speed: MetersPerSecond = 0
  private var heading = Heading.north

  /// - Parameters:
  ///   - start: when it begins.
  ///   - place: where it begins.
  public init(from start: SimulatedTime = Route.morning, at place: Coordinate = Route.home) {
    self.start = start
    self.place = place
    end = start
    samples = [Fix(time: start.date, coordinate: place)]
  }

  /// On in one direction.
  /// - Parameters:
  ///   - seconds: for how long.
  ///   - speed: metres per second.
  ///   - heading: where to.
  ///   - environment: what is around; `nil`: what is there outdoors.
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

  /// On foot, 1.4 m/s.
  /// - Parameters:
  ///   - seconds: for how long.
  ///   - heading: where to.
  public func walk(_ seconds: Double, toward heading: Heading) -> Route { go(seconds, at: 1.4, toward: heading) }

  /// By car, 15 m/s.
  /// - Parameters:
  ///   - seconds: for how long.
  ///   - heading: where to.
  public func drive(_ seconds: Double, toward heading: Heading) -> Route { go(seconds, at: 15, toward: heading) }

  /// On as before, under ground: no satellites and no network.
  /// - Parameter seconds: for how long.
  public func tunnel(_ seconds: Double) -> Route { go(seconds, at: speed, toward: heading, in: .underground) }

  /// At one place.
  /// - Parameters:
  ///   - seconds: for how long.
  ///   - environment: what is around; `nil`: a roof from five minutes on, and what is there outdoors for less.
  public func stay(_ seconds: Double, in environment: Environment? = nil) -> Route {
    var route = self
    let begin = end
    route.end = begin + max(0, seconds)
    if route.end > begin { route.samples.append(Fix(time: route.end.date, coordinate: place)) }
    return route.marked(environment, from: begin)
  }

  /// A recorded way, which is moved in time to begin now. The pieces after it go on where it ends.
  /// - Parameter track: its positions, in order of time.
  public func follow(_ track: [Fix]) -> Route {
    guard let first = track.first else { return self }
    var route = self
    // At its very beginning there is no travel to its first position.
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
    // Only a way without any sample has no truth, and this one has its beginning.
    return try! Truth(days: [samples], rules: rules)
  }
}

extension Fix {
  /// A position as a receiver reports it.
  /// - Parameters:
  ///   - time: when it was measured.
  ///   - north: metres north of home.
  ///   - east: metres east of home.
  ///   - accuracy: radius of uncertainty, metres.
  ///   - home: where both are zero.
  /// - Returns: the position.
  public static func near(
    _ home: Coordinate = Route.home, at time: SimulatedTime, north: Meters = 0, east: Meters = 0, accuracy: Meters = 5
  ) -> Fix {
    let place = GreatCircle.destination(from: home, course: north < 0 ? 180 : 0, distance: abs(north))
    return Fix(
      time: time.date, coordinate: GreatCircle.destination(from: place, course: east < 0 ? 270 : 90, distance: abs(east)),
      horizontalAccuracy: accuracy)
  }
}
