internal import Foundation
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
internal import GodwitStore
internal import GodwitTiles
internal import GodwitVisits

extension TimelineAPI {
  /// The start of a page of a list: the number of a device, and the key of one of its rows.
  struct Place<Size: CursorSize>: CursorFormat {
    let numbers: [Int64]
    var device: Int64 { numbers[0] }

    init?(_ text: String) {
      let numbers = text.split(separator: "_", omittingEmptySubsequences: false).compactMap { CursorNumber($0)?.value }
      guard numbers.count == Size.count else { return nil }
      self.numbers = numbers
    }
  }

  enum Pages: PageLimits {
    static let standard = 200
    static let largest = 2_000
  }

  struct ListParameters<Size: CursorSize>: ParameterList {
    let device: DeviceName?
    let times: TimeRange
    let limit: PageLimit<Pages>
    let cursor: PageCursor<Place<Size>>?
  }

  // MARK: Results

  struct Visit: ResultObject {
    var device: String
    var arrival: Date
    @Nullable var departure: Date?
    var seen: Date
    @Rounded0 var duration: Double
    @Rounded6 var latitude: Double
    @Rounded6 var longitude: Double
    @Rounded1 var radius: Double
    var points: Int
    @Rounded2 var confidence: Double
    var reported: Bool
    var confirmed: Bool
    @Nullable var name: String?
    @Nullable var place: PlaceName?
    @Nullable var address: PlaceAPI.PlaceAddress?
    @Nullable var town: String?
    @Nullable var state: String?
    @Nullable var country: String?
    @Nullable var countryCode: String?
    var corrections: [String]

    static let schemaName: String? = "Visit"
    static let notes = LocalityNotes.all.merging([
      "name": "The name that a user gave this visit.", "confirmed": "Whether a user corrected or confirmed it.",
      "corrections": correctionNotes,
    ]) { own, _ in own }

    /// Creates a visit with the place that `finder` finds, or the address of its position.
    init(_ shown: ShownVisit, of device: Device, _ finder: PlaceFinder, _ localities: Localities, _ db: any SQLConnection) throws
    {
      let place = finder.place(of: shown)
      let address = place == nil ? try AddressTable.address(near: shown.visit.coordinate, db) : nil
      self.init(shown, of: device, place, address, try localities.name(of: shown.visit.coordinate))
    }

    init(
      _ shown: ShownVisit, of device: Device, _ place: NamedPlace?, _ address: Address?,
      _ locality: GodwitTiles.PlaceName
    ) {
      let visit = shown.visit
      self.device = device.name
      arrival = Date(millisecondsSince1970: visit.arrival)
      departure = visit.departure.map { Date(millisecondsSince1970: $0) }
      seen = Date(millisecondsSince1970: visit.seen)
      duration = Double((visit.departure ?? visit.seen) - visit.arrival) / 1000
      latitude = visit.coordinate.latitude
      longitude = visit.coordinate.longitude
      radius = visit.radius
      points = visit.points
      confidence = shown.confidence
      reported = visit.isReported
      confirmed = shown.isConfirmed
      name = shown.name
      corrections = shown.corrections.map { "fix_\($0)" }
      self.place = place.map { PlaceName(id: $0.word, name: $0.options.name) }
      self.address = address.map { PlaceAPI.PlaceAddress($0) }
      (town, state, country, countryCode) = (locality.town, locality.state, locality.country, locality.countryCode)
    }
  }

  struct PlaceName: ResultObject {
    var id: String
    var name: String
  }

  struct Position: ResultObject {
    @Rounded6 var latitude: Double
    @Rounded6 var longitude: Double

    /// - Parameter position: latitude and longitude in 1e-7 degrees.
    init?(_ position: [Int32]) {
      guard position.count == 2 else { return nil }
      latitude = Double(position[0]) / 1e7
      longitude = Double(position[1]) / 1e7
    }
  }

  struct Trip: ResultObject {
    var device: String
    var start: Date
    var end: Date
    @Rounded0 var duration: Double
    @Rounded0 var moving: Double
    @Rounded1 var distance: Double
    @Nullable var speed: Rounded2?
    @Rounded2 var topSpeed: Double
    var mode: TravelMode
    @Rounded2 var confidence: Double
    @Nullable var from: Position?
    @Nullable var to: Position?
    var segments: [Segment]
    var confirmed: Bool
    var corrections: [String]

    static let schemaName: String? = "Trip"
    static let notes: [String: JSONValue] = [
      "confirmed": "Whether a user corrected or confirmed it.", "corrections": correctionNotes,
    ]

    init(_ shown: ShownTrip, of device: Device) {
      let trip = shown.trip
      confirmed = shown.isConfirmed
      corrections = shown.corrections.map { "fix_\($0)" }
      self.device = device.name
      start = Date(millisecondsSince1970: trip.start)
      end = Date(millisecondsSince1970: trip.end)
      duration = Double(trip.end - trip.start) / 1000
      moving = trip.moving
      distance = trip.distance
      speed = trip.moving > 0 ? Rounded2(trip.distance / trip.moving) : nil
      topSpeed = trip.topSpeed
      mode = trip.mode
      confidence = trip.confidence
      from = Position(trip.from)
      to = Position(trip.to)
      segments = trip.segments.map { Segment($0) }
    }
  }

  /// A part of a trip with one mode.
  struct Segment: ResultObject {
    var mode: TravelMode
    @Rounded2 var confidence: Double
    var reported: Bool
    var learned: Bool
    var start: Date
    var end: Date
    @Rounded1 var distance: Double
    @Rounded0 var moving: Double
    @Rounded2 var topSpeed: Double

    static let schemaName: String? = "TripSegment"
    static let notes: [String: JSONValue] = [
      "reported": "Whether the device reported the mode.",
      "learned": "Whether the mode is that of corrected trips between the same places.",
    ]

    init(_ segment: FoundTrip.Segment) {
      mode = segment.mode
      confidence = segment.confidence
      reported = segment.isReported
      learned = segment.isLearned
      start = Date(millisecondsSince1970: segment.start)
      end = Date(millisecondsSince1970: segment.end)
      distance = segment.distance
      moving = segment.moving
      topSpeed = segment.topSpeed
    }
  }

  struct Outlier: ResultObject {
    private enum CodingKeys: String, CodingKey {
      case device
      case time
      case latitude
      case longitude
      case reason
      case marked
      case isManual = "manual"
    }

    var device: String
    var time: Date
    @Rounded7 var latitude: Double
    @Rounded7 var longitude: Double
    var reason: OutlierFilter.Reason
    var marked: Bool
    var isManual: Bool

    static let schemaName: String? = "Outlier"

    init(_ entry: OutlierTable.Entry, of device: Device) {
      self.device = device.name
      time = Date(millisecondsSince1970: entry.key.time)
      latitude = Double(entry.key.latitude) / 1e7
      longitude = Double(entry.key.longitude) / 1e7
      reason = entry.reason
      marked = entry.isMarked
      isManual = entry.isManual
    }
  }

  struct VisitPage: ResultObject {
    var visits: [Visit]
    var pending: Int
    var nextCursor: NextCursor
    static let notes = pageNotes
  }

  struct TripPage: ResultObject {
    var trips: [Trip]
    var pending: Int
    var nextCursor: NextCursor
    static let notes = pageNotes
  }

  struct OutlierPage: ResultObject {
    var outliers: [Outlier]
    var pending: Int
    var nextCursor: NextCursor
    static let notes = pageNotes
  }

  private static let correctionNotes: JSONValue = ["description": "The ids of the corrections that apply to it."]
  private static let pageNotes: [String: JSONValue] = ["pending": "Days that must still be recomputed."]

  // MARK: Flags

  struct PointBody: BodyObject {
    let device: String
    let time: Date
    let latitude: PointLatitude
    let longitude: PointLongitude
    static let kind = "flag"
    var key: PointKey { TimelineAPI.key(time, latitude, longitude) }
  }

  struct FlagBody: BodyObject {
    let device: String
    let time: Date
    let latitude: PointLatitude
    let longitude: PointLongitude
    let marked: Bool?
    static let kind = "flag"
    static let notes: [String: JSONValue] = ["marked": ["default": true]]
    var key: PointKey { TimelineAPI.key(time, latitude, longitude) }
  }

  private static func key(_ time: Date, _ latitude: PointLatitude, _ longitude: PointLongitude) -> PointKey {
    PointKey(
      time: time.millisecondsSince1970, latitude: Int64((latitude.value * 1e7).rounded()),
      longitude: Int64((longitude.value * 1e7).rounded()))
  }

  /// The state of a flag after a change.
  struct Flag: ResultObject {
    private enum CodingKeys: String, CodingKey {
      case device
      case time
      case marked
      case isManual = "manual"
    }

    var device: String
    var time: Date
    @Nullable var marked: Bool?
    var isManual: Bool
    static let schemaName: String? = "OutlierFlag"
  }

  typealias PointLatitude = LimitedNumber<PointLatitudes>
  typealias PointLongitude = LimitedNumber<PointLongitudes>

  enum PointLatitudes: NumberLimits {
    static let range = LatitudeLimits.range
    static let expected = "expected the latitude and longitude of a point, as /api/v1/points has them."
    static let missing = expected
  }
  enum PointLongitudes: NumberLimits {
    static let range = LongitudeLimits.range
    static let expected = PointLatitudes.expected
    static let missing = expected
  }
}

/// The number of integers in a cursor of a timeline.
protocol CursorSize: Sendable {
  static var count: Int { get }
}
/// A device and a time.
enum RowOfDevice: CursorSize { static let count = 2 }
/// A device, a time, a latitude and a longitude.
enum PointOfDevice: CursorSize { static let count = 4 }
