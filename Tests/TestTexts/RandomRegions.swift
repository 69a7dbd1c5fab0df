package import GodwitModel

/// A generator that gives the same numbers for the same seed, wherever it runs.
package struct SeededNumbers: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(_ seed: UInt64) { state = seed }

  /// SplitMix64 (Steele, Lea, Flood 2014).
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

/// Random regions of all shapes, with all properties.
package struct RandomRegions {
  package var numbers: SeededNumbers
  private var made = 0

  package init(seed: UInt64) { numbers = SeededNumbers(seed) }

  package mutating func next() throws -> Region {
    made += 1
    var region = Region(id: "\(made)-\(text(1...20))", shape: try shape())
    if flip() { region.name = text(0...40) }
    for _ in 0..<Int.random(in: 0...3, using: &numbers) {
      let tag = text(1...12).trimming()
      if !tag.isEmpty, !region.tags.contains(tag) { region.tags.append(tag) }
    }
    if flip() { region.dwell = flip() ? 300 : Double.random(in: 0.001...2_592_000, using: &numbers) }
    if flip() { region.schedule = schedule() }
    if flip() {
      region.extras = #"{"color":"red","rank":\#(Int.random(in: 0...9, using: &numbers)),"deep":{"a":[1,null,"x y"]}}"#
    }
    return region
  }

  private mutating func flip() -> Bool { Bool.random(using: &numbers) }

  private mutating func text(_ lengths: ClosedRange<Int>) -> String {
    let characters: [Character] = ["a", "B", "7", " ", "-", "\"", "\\", "<", "&", "]", "é", "日", "🚲", "/", "'", "%", "š"]
    return String(
      (0..<Int.random(in: lengths, using: &numbers)).map { _ in characters[Int.random(in: 0..<characters.count, using: &numbers)]
      }
    )
    .trimming()
  }

  private mutating func place(to latitude: Double = 89) throws -> Coordinate {
    try required(
      Coordinate(
        latitude: Double.random(in: -latitude...latitude, using: &numbers),
        longitude: Double.random(in: -179...179, using: &numbers)))
  }

  private mutating func shape() throws -> RegionShape {
    switch Int.random(in: 0..<3, using: &numbers) {
    case 0:
      return .circle(Circle(center: try place(), radius: flip() ? 100 : Double.random(in: 0.5...1_000_000, using: &numbers)))
    case 1:
      let uuid = ProximityUUID(high: numbers.next(), low: numbers.next())
      var identity = BeaconIdentity(uuid: uuid)
      if flip() {
        identity = BeaconIdentity(
          uuid: uuid, major: UInt16.random(in: 0...65535, using: &numbers),
          minor: flip() ? UInt16.random(in: 0...65535, using: &numbers) : nil)
      }
      return .beacon(Beacon(identity: identity, place: flip() ? try place() : nil))
    default:
      // The polygons are so far apart that they cannot intersect.
      let first = try place(to: 60)
      var polygons: [Polygon] = []
      for index in 0..<Int.random(in: 1...3, using: &numbers) {
        let middle = try required(
          Coordinate(latitude: first.latitude + Double(index) * 4, longitude: first.longitude))
        // Outer rings counterclockwise and holes clockwise, as in GeoJSON.
        let holes = flip() ? [Array(try star(round: middle, 0.1...0.3).reversed())] : []
        polygons.append(try Polygon(outer: try star(round: middle, 0.6...0.9), holes: holes))
      }
      return .polygons(try required(MultiPolygon(polygons)))
    }
  }

  /// Returns corners around a place in the order of their bearings, at random distances in degrees.
  private mutating func star(round middle: Coordinate, _ degrees: ClosedRange<Double>) throws -> [Coordinate] {
    let offsets: [(Double, Double)] = [
      (1, 0), (0.7, -0.7), (0, -1), (-0.7, -0.7), (-1, 0), (-0.7, 0.7), (0, 1), (0.7, 0.7),
    ]
    var corners: [Coordinate] = []
    for (north, east) in offsets {
      let size = Double.random(in: degrees, using: &numbers)
      corners.append(
        try required(Coordinate(latitude: middle.latitude + north * size, longitude: middle.longitude + east * size)))
    }
    return corners
  }

  private mutating func schedule() -> RegionSchedule {
    let windows = (0..<Int.random(in: 1...3, using: &numbers)).map { _ in
      let days = RegionSchedule.Weekday.allCases.filter { _ in Bool.random(using: &numbers) }
      return RegionSchedule.Window(
        days: days.isEmpty ? [.sunday] : Set(days), from: Int.random(in: 0..<1440, using: &numbers),
        to: Int.random(in: 1...1440, using: &numbers))
    }
    return RegionSchedule(windows: windows, timeZone: flip() ? "Europe/Ljubljana" : nil)
  }
}

extension String {
  /// Returns the text without spaces at its ends, which attributes and comma-separated lists do not preserve.
  fileprivate func trimming() -> String {
    var text = Substring(self)
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

/// Calls a parser with the text truncated at every byte, and with random changes.
/// - Returns: the number of changed texts that the parser accepted.
package func acceptedMutations(_ whole: [UInt8], changes: Int, seed: UInt64, _ read: ([UInt8]) throws -> Void) -> Int {
  for end in 0..<whole.count { try? read(Array(whole[..<end])) }
  var numbers = SeededNumbers(seed)
  var accepted = 0
  for _ in 0..<changes {
    var text = whole
    for _ in 0...Int.random(in: 0...2, using: &numbers) where !text.isEmpty {
      let place = Int.random(in: 0..<text.count, using: &numbers)
      switch Int.random(in: 0..<4, using: &numbers) {
      case 0: text[place] = UInt8.random(in: 0...255, using: &numbers)
      case 1: text.remove(at: place)
      case 2: text[place] = Array("0123456789-.eE[]{},:\"<>/".utf8)[Int.random(in: 0..<24, using: &numbers)]
      default:
        let piece = text[Int.random(in: 0..<text.count, using: &numbers)...].prefix(Int.random(in: 0..<20, using: &numbers))
        text.insert(contentsOf: Array(piece), at: place)
      }
    }
    if (try? read(text)) != nil { accepted += 1 }
  }
  return accepted
}
