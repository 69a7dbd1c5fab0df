internal import Foundation
internal import GodwitModel
internal import GodwitText

/// The values of a feature, before the kind of the record is known.
struct OverlandBuilder {
  typealias Fault = JSONReader.Fault

  /// The offset of the feature in bytes.
  let start: Int
  var id: RecordID?
  var latitude = Double.nan
  var longitude = Double.nan
  var hasPlace = false
  var placeOffset = 0
  var hasProperties = false
  var time: Int64?
  var altitude: Double?
  var speed: Double?
  var course: Double?
  var horizontalAccuracy: Double?
  var verticalAccuracy: Double?
  var speedAccuracy: Double?
  var courseAccuracy: Double?
  var context = DeviceContext()
  var action: String?
  var isTrip = false
  var trip: OverlandTrip?
  var arrival: Date?
  var departure: Date?
  var region: OverlandRegion?
  /// A bit for each property that was read.
  var seen: UInt32 = 0
  /// The properties of events that were read. Those that the record cannot hold are stored in the extras.
  var eventMembers: [(key: OverlandKey, member: Range<Int>)] = []
  /// The ranges of unknown members in the text: `"key":value`.
  private var others: [Range<Int>] = []

  /// - Parameter start: the offset of the feature, which is the place of the fault for missing members.
  init(start: Int) { self.start = start }

  /// Stores a member that no property of a record can hold.
  mutating func store(_ member: Range<Int>, in json: JSONReader) throws(Fault) {
    guard others.count < RecordLimits.extraMembers else {
      throw json.unexpected(RecordLimits.tooManyMembers, at: member.lowerBound)
    }
    others.append(member)
  }

  /// Makes the record.
  /// - Parameter json: the text of the feature.
  @inline(__always)
  consuming func record(of json: JSONReader) throws(Fault) -> Record {
    guard hasProperties else { throw unexpected("there is no member \"properties\"") }
    guard let time else { throw unexpected("there is no \"timestamp\"", path: ".properties.timestamp") }
    var place: Coordinate?
    if hasPlace {
      place = Coordinate(latitude: latitude, longitude: longitude)
      if place == nil { throw wrongPlace() }
    }
    let date = Date(millisecondsSince1970: time)
    let kind: Record.Kind
    if let action {
      if action == "visit" {
        guard let place else { throw missingPlace() }
        kind = .visit(
          Visit(
            time: date, coordinate: place, horizontalAccuracy: horizontalAccuracy, arrival: arrival, departure: departure))
      } else if let region, let event = OverlandRegion.kind(action) {
        // The region is stored in the event and not in the extras.
        others.removeAll { json.verbatim($0).hasPrefix("\"region\"") }
        kind = .region(
          RegionEvent(
            time: date, kind: event, region: region.mention, coordinate: place, horizontalAccuracy: horizontalAccuracy,
            entered: region.entered))
      } else {
        kind = .action(Action(time: date, name: action, coordinate: place))
      }
    } else if isTrip {
      kind = .trip((trip ?? OverlandTrip()).trip(at: time))
    } else {
      guard let place else { throw missingPlace() }
      kind = .fix(
        Fix(
          time: date, coordinate: place, horizontalAccuracy: horizontalAccuracy, altitude: altitude,
          verticalAccuracy: verticalAccuracy, speed: speed, speedAccuracy: speedAccuracy, course: course,
          courseAccuracy: courseAccuracy))
    }
    if !eventMembers.isEmpty { try storeEventMembers(besides: kind, in: json) }
    return Record(id: id, kind: kind, context: context, extras: others.isEmpty ? nil : extras(of: json))
  }

  /// Stores the properties of events that a record of this kind cannot hold, in the order of the text.
  @inline(never)
  private mutating func storeEventMembers(besides kind: Record.Kind, in json: JSONReader) throws(Fault) {
    for (key, member) in eventMembers {
      let isHeld =
        switch (kind, key) {
        case (_, .action), (.visit, .arrivalDate), (.visit, .departureDate): true
        case (.trip, .arrivalDate), (.trip, .departureDate): false
        case (.trip, _): true
        default: false
        }
      // Of all values only `null`, which means unknown, ends with this letter.
      let isNull = json.base[member.upperBound - 1] == UInt8(ascii: "l")
      if !isHeld, !isNull { try store(member, in: json) }
    }
    others.sort { $0.lowerBound < $1.lowerBound }
  }

  private func extras(of json: JSONReader) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(others.reduce(2) { $0 + $1.count + 1 })
    for member in others {
      text.append(text.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
      text.append(contentsOf: UnsafeBufferPointer(start: json.base + member.lowerBound, count: member.count))
    }
    text.append(UInt8(ascii: "}"))
    return String(decoding: text, as: UTF8.self)
  }

  @inline(never)
  private func wrongPlace() -> Fault {
    let isLatitude = !(latitude >= -90 && latitude <= 90)
    return Fault(
      offset: placeOffset, isSyntax: false,
      reason: isLatitude ? "latitude \(latitude) is outside −90…90" : "longitude \(longitude) is outside −180…180",
      path: ".geometry.coordinates[\(isLatitude ? 1 : 0)]")
  }

  @inline(never)
  private func missingPlace() -> Fault { unexpected("there are no coordinates", path: ".geometry.coordinates") }

  private func unexpected(_ reason: String, path: String = "") -> Fault {
    Fault(offset: start, isSyntax: false, reason: reason, path: path)
  }
}

/// The values of a trip in a feature.
struct OverlandTrip {
  var start: Int64?
  var end: Int64?
  var mode = ""
  var startFix: Fix?
  var endFix: Fix?
  var duration: Double?
  var distance: Double?
  var stoppedAutomatically = false
  var steps: Int?

  /// Makes the trip.
  /// - Parameter time: the time of the feature, in milliseconds since 1970.
  func trip(at time: Int64) -> Trip {
    let end = end ?? time
    let start = start ?? end
    return Trip(
      start: Date(millisecondsSince1970: start), end: Date(millisecondsSince1970: end), mode: mode, startFix: startFix,
      endFix: endFix, duration: duration ?? Double(end - start) / 1000, distance: distance ?? 0, steps: steps,
      stoppedAutomatically: stoppedAutomatically)
  }
}

extension Motion {
  /// Adds the motion of a word; an empty word and `unknown` add nothing.
  /// - Returns: `false` for a word that is not a motion.
  mutating func insert(_ word: JSONReader.Text, of json: JSONReader) -> Bool {
    switch word.count {
    case 0: return true
    case 5 where json.matches(word, "still"): insert(.stationary)
    case 7 where json.matches(word, "walking"), 7 where json.matches(word, "on_foot"): insert(.walking)
    case 7 where json.matches(word, "running"): insert(.running)
    case 7 where json.matches(word, "cycling"): insert(.cycling)
    case 7 where json.matches(word, "driving"): insert(.driving)
    case 7 where json.matches(word, "unknown"): break
    case 10 where json.matches(word, "stationary"): insert(.stationary)
    case 10 where json.matches(word, "on_bicycle"): insert(.cycling)
    case 10 where json.matches(word, "automotive"), 10 where json.matches(word, "in_vehicle"): insert(.driving)
    default: return false
    }
    return true
  }
}

extension BatteryState {
  /// Parses a state. An empty word means unknown; `nil` for other words.
  init?(_ word: JSONReader.Text, of json: JSONReader) {
    if json.matches(word, "charging") {
      self = .charging
    } else if json.matches(word, "unplugged") {
      self = .unplugged
    } else if json.matches(word, "full") {
      self = .full
    } else if json.matches(word, "unknown") || word.count == 0 {
      self = .unknown
    } else {
      return nil
    }
  }
}
