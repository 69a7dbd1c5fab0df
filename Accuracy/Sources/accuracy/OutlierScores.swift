import AccuracyData
import Foundation
import GodwitHistory
import GodwitModel
import GodwitSimulator
import GodwitTracks

/// Counts the wrong positions that the timeline finds: real ones of MobilityNet's phones, and ones that are inserted into GeoLife's tracks.
enum OutlierScores {
  /// A position is wrong if its distance from the true line is greater than `distance` metres and `times` its reported accuracy.
  private static let distance = 100.0
  private static let times = 3.0

  /// Counts of positions.
  struct Counts {
    var right = 0
    var wrong = 0
    /// Wrong positions that were found.
    var found = 0
    /// Right positions that were found.
    var alarms = 0

    mutating func add(isWrong: Bool, isFound: Bool) {
      if isWrong {
        wrong += 1
        if isFound { found += 1 }
      } else {
        right += 1
        if isFound { alarms += 1 }
      }
    }

    static func + (a: Counts, b: Counts) -> Counts {
      Counts(right: a.right + b.right, wrong: a.wrong + b.wrong, found: a.found + b.found, alarms: a.alarms + b.alarms)
    }

    var row: String {
      let recall = wrong > 0 ? String(format: "%.1f %%", 100 * Double(found) / Double(wrong)) : "–"
      let rate = right > 0 ? String(format: "%.2f", 1000 * Double(alarms) / Double(right)) : "–"
      return "\(right + wrong) | \(wrong) | \(found) | \(recall) | \(rate)"
    }
  }

  static let header = "| positions | wrong | found | recall | false alarms per 1,000 |"

  // MARK: Real wrong positions

  /// The accurate positions of all phones, which were carried together.
  private struct ReferencePositions {
    private struct Position {
      var phone: Int
      var fix: Fix
    }
    private static let accuracy = 50.0
    /// The maximum difference in seconds, and the maximum speed of the vehicles of the set in metres per second.
    private static let near = 60.0
    private static let speed = 45.0
    /// The number of phones that must contradict a position.
    private static let needed = 2

    private var positions: [Position] = []

    init(_ fixes: [[Fix]]) {
      for (phone, fixes) in fixes.enumerated() {
        for fix in fixes where fix.horizontalAccuracy.map({ $0 > 0 && $0 <= Self.accuracy }) ?? false {
          positions.append(Position(phone: phone, fix: fix))
        }
      }
      positions.sort { $0.fix.time < $1.fix.time }
    }

    /// Returns whether the nearest positions in time of the other phones show that the phone was elsewhere.
    func contradict(_ fix: Fix, of phone: Int, beyond distance: Meters) -> Bool {
      var nearest: [Int: Fix] = [:]
      var index = positions.partitioningIndex { $0.fix.time >= fix.time.addingTimeInterval(-Self.near) }
      while index < positions.count, positions[index].fix.time <= fix.time.addingTimeInterval(Self.near) {
        let other = positions[index]
        index += 1
        guard other.phone != phone else { continue }
        let seconds = abs(other.fix.time.timeIntervalSince(fix.time))
        if let known = nearest[other.phone], abs(known.time.timeIntervalSince(fix.time)) <= seconds { continue }
        nearest[other.phone] = other.fix
      }
      guard nearest.count >= Self.needed else { return false }
      return nearest.values.allSatisfy { other in
        GreatCircle.distance(other.coordinate, fix.coordinate) > distance + 3 * Self.accuracy
          + Self.speed * abs(other.time.timeIntervalSince(fix.time))
      }
    }
  }

  /// Prints the counts of MobilityNet's phones by setting and by the distance of wrong positions.
  static func printTables(of data: MobilityNet) throws {
    let lines = data.legs.filter { $0.line.count > 1 }.map { ($0, TrackLine($0.line)) }
    let periods = data.phones.map { data.periods(of: $0) }
    let recorded = try periods.map { try $0.map { try data.fixes(of: $0) } }
    let references = ReferencePositions(recorded.map { $0.flatMap(\.self) })
    var settings: [String: Counts] = [:]
    var distances: [(below: Double, counts: Counts)] = [300, 1_000, 3_000, .infinity].map { ($0, Counts()) }
    var elsewhere = Counts()
    var farthest = 0.0
    for phone in periods.indices {
      for (period, fixes) in zip(periods[phone], recorded[phone]) {
        let key = "\(MobilityNet.model(isApple: period.isApple)) | \(period.setting)"
        let found = outliers(in: fixes)
        for (leg, line) in lines where leg.start < period.end && leg.end > period.start {
          for (index, fix) in fixes.enumerated() where fix.time >= leg.start && fix.time <= leg.end {
            guard let away = line.distance(to: fix.coordinate) else { continue }
            let limit = max(distance, times * (fix.horizontalAccuracy ?? 0))
            let isOnOtherPart = away <= limit && references.contradict(fix, of: phone, beyond: limit)
            settings[key, default: Counts()].add(isWrong: away > limit || isOnOtherPart, isFound: found.contains(index))
            if away > limit, let band = distances.firstIndex(where: { away < $0.below }) {
              distances[band].counts.add(isWrong: true, isFound: found.contains(index))
              farthest = max(farthest, away)
            }
            if isOnOtherPart { elsewhere.add(isWrong: true, isFound: found.contains(index)) }
          }
        }
      }
    }
    print("MobilityNet, positions in \(lines.count) parts of trips with a line; wrong ones are up to \(Int(farthest)) m away\n")
    print("| phone | setting \(header)\n|---|---|---|---|---|---|---|")
    for (key, counts) in settings.sorted(by: { $0.key < $1.key }) { print("| \(key) | \(counts.row) |") }
    print("| all | | \(settings.values.reduce(Counts(), +).row) |\n")
    print("| metres from the line, less than | wrong | found |\n|---|---|---|")
    for (below, counts) in distances {
      print("| \(below.isFinite ? "\(Int(below))" : "any") | \(counts.wrong) | \(counts.found) |")
    }
    print("| on the line, and other phones are elsewhere | \(elsewhere.wrong) | \(elsewhere.found) |")
  }

  /// Returns the indices of the positions that the timeline excludes.
  private static func outliers(in fixes: [Fix]) -> Set<Int> {
    var places: [Key: [Int]] = [:]
    let points = fixes.map { TimelinePoint($0.coordinate, at: $0.time, accuracy: $0.horizontalAccuracy) }
    for (index, point) in points.enumerated() { places[Key(point), default: []].append(index) }
    return Set(TimelineBuilder.Results(of: points).outliers.flatMap { places[Key($0.point)] ?? [] })
  }

  private struct Key: Hashable {
    var time: Int64
    var latitude: Int32
    var longitude: Int32

    init(_ point: TimelinePoint) { (time, latitude, longitude) = (point.time, point.latitude, point.longitude) }
  }

  // MARK: Inserted wrong positions

  /// A kind of inserted wrong positions: their number and their distance.
  private struct Injection {
    let name: String
    let count: ClosedRange<Int>
    let metres: ClosedRange<Double>
  }

  private static let injections = [
    Injection(name: "one position, 200 m to 1 km", count: 1...1, metres: 200...1_000),
    Injection(name: "one position, 1 to 30 km", count: 1...1, metres: 1_000...30_000),
    Injection(name: "2 to 5 positions at one place, 1 to 30 km", count: 2...5, metres: 1_000...30_000),
    Injection(name: "one position, 1,000 km", count: 1...1, metres: 1_000_000...1_000_001),
  ]

  /// Prints the counts for each kind of wrong positions in the tracks of the people with labels.
  static func printTable(of data: GeoLife) throws {
    var counts = [Counts](repeating: Counts(), count: injections.count)
    var before = Counts()
    for (number, person) in data.people.enumerated() {
      let fixes = try data.segments(of: person).flatMap { segment in
        segment.positions.compactMap { point in point.time.map { Fix(time: $0, coordinate: point.coordinate) } }
      }
      let plain = outliers(in: fixes)
      for index in fixes.indices { before.add(isWrong: false, isFound: plain.contains(index)) }
      for (index, injection) in injections.enumerated() {
        var random = RandomSource(seed: UInt64(number * injections.count + index), stream: "outliers")
        let (changed, isWrong) = inject(injection, into: fixes, &random)
        let found = outliers(in: changed)
        for position in changed.indices {
          // It is unknown whether an outlier of the track itself is right or wrong.
          if !isWrong.contains(position), plain.contains(position) { continue }
          counts[index].add(isWrong: isWrong.contains(position), isFound: found.contains(position))
        }
      }
    }
    print("GeoLife, \(data.people.count) people; one position in 200 is the first of wrong ones\n")
    print("| wrong positions \(header)\n|---|---|---|---|---|---|")
    for (injection, counts) in zip(injections, counts) { print("| \(injection.name) | \(counts.row) |") }
    print("| none: what the tracks have | \(before.row) |")
  }

  private static func inject(
    _ injection: Injection, into fixes: [Fix], _ random: inout RandomSource
  ) -> (fixes: [Fix], isWrong: Set<Int>) {
    var fixes = fixes
    var isWrong: Set<Int> = []
    var index = 5
    while index + injection.count.upperBound + 5 < fixes.count {
      index += Int.random(in: 100...300, using: &random)
      guard index + injection.count.upperBound + 5 < fixes.count else { break }
      let count = Int.random(in: injection.count, using: &random)
      let place = GreatCircle.destination(
        from: fixes[index].coordinate, course: .random(in: 0..<360, using: &random),
        distance: .random(in: injection.metres, using: &random))
      for offset in 0..<count {
        fixes[index + offset].coordinate = GreatCircle.destination(
          from: place, course: .random(in: 0..<360, using: &random), distance: .random(in: 0...20, using: &random))
        isWrong.insert(index + offset)
      }
      index += count
    }
    return (fixes, isWrong)
  }
}
