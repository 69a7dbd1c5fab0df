import GodwitHistory
import GodwitModel

/// The state of the timeline of some positions at each time.
struct TimelineStates {
  enum State: CaseIterable {
    case walk, bicycle, engine
    /// A part of a trip whose mode is not known.
    case unknown
    case visit
    /// Neither a visit nor a trip.
    case nothing
  }

  /// The states with times in milliseconds since 1970, in order and without overlaps.
  private var times: [(start: Int64, end: Int64, state: State)] = []

  /// - Parameter points: the points in order of time.
  init(of points: [TimelinePoint]) {
    let results = TimelineBuilder.Results(of: points)
    let parts = results.tracks.flatMap { TripMaker.trips(of: $0) }.flatMap(\.segments)
    var all = parts.map { (start: $0.start, end: $0.end, state: Self.state(of: $0.mode)) }
    all += results.visits.map { (start: $0.arrival, end: max($0.arrival, $0.end), state: .visit) }
    for time in all.sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) {
      let start = max(time.start, times.last?.end ?? .min)
      if start < time.end { times.append((start, time.end, time.state)) }
    }
  }

  private static func state(of mode: TravelMode) -> State {
    switch TransportMode(mode) {
    case .walk: .walk
    case .bike: .bicycle
    case .motor: .engine
    case nil: .unknown
    }
  }

  /// Returns the state at a time in milliseconds since 1970. The end of a part belongs to it if nothing follows.
  func state(at time: Int64) -> State {
    let index = times.partitioningIndex { $0.start > time } - 1
    return index >= 0 && time <= times[index].end ? times[index].state : .nothing
  }

  /// Returns the seconds of each state between two times in milliseconds since 1970.
  func seconds(from start: Int64, to end: Int64) -> [State: Double] {
    var seconds: [State: Double] = [:]
    for time in times where time.start < end && time.end > start {
      seconds[time.state, default: 0] += Double(min(time.end, end) - max(time.start, start)) / 1000
    }
    seconds[.nothing] = max(0, Double(end - start) / 1000 - seconds.values.reduce(0, +))
    return seconds
  }
}
