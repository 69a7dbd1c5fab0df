internal import Foundation
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
internal import GodwitTiles
internal import GodwitVisits

extension PlaceAPI {
  /// A named place.
  struct Place: ResultObject {
    var id: String
    var name: String
    @Rounded7 var latitude: Double
    @Rounded7 var longitude: Double
    @Rounded1 var radius: Double
    var created: Date
    @Nullable var town: String?
    @Nullable var state: String?
    @Nullable var country: String?
    @Nullable var countryCode: String?
    /// Only with `totals=true`.
    var totals: PlaceTotals?

    static let schemaName: String? = "Place"
    static let notes = LocalityNotes.all.merging([
      "radius": "Metres.", "totals": "With totals=true: how often and how long.",
    ]) { own, _ in own }

    init(_ place: NamedPlace, _ locality: PlaceName, _ totals: PlaceVisits.Totals? = nil) {
      self.totals = totals.map { PlaceTotals($0) }
      id = place.word
      name = place.options.name
      latitude = place.options.center.latitude
      longitude = place.options.center.longitude
      radius = place.options.radius
      created = place.created
      (town, state, country, countryCode) = (locality.town, locality.state, locality.country, locality.countryCode)
    }
  }

  /// How often and how long devices were at a place.
  struct PlaceTotals: ResultObject {
    var visits: Int
    @Rounded0 var seconds: Double
    @Nullable var first: Date?
    @Nullable var last: Date?

    static let schemaName: String? = "PlaceTotals"

    init(_ totals: PlaceVisits.Totals) {
      visits = totals.visits
      seconds = totals.seconds
      first = totals.visits > 0 ? Date(millisecondsSince1970: totals.first) : nil
      last = totals.visits > 0 ? Date(millisecondsSince1970: totals.last) : nil
    }
  }

  /// The visits of a place, newest first.
  struct PlaceVisitPage: ResultObject {
    var place: Place
    var visits: [TimelineAPI.Visit]
    var nextCursor: NextCursor
  }

  /// A cluster of visits at one place.
  struct LearnedPlace: ResultObject {
    @Nullable var id: String?
    @Nullable var name: String?
    @Rounded6 var latitude: Double
    @Rounded6 var longitude: Double
    var visits: Int
    @Rounded0 var seconds: Double
    var first: Date
    var last: Date
    @Nullable var address: PlaceAddress?
    @Nullable var town: String?
    @Nullable var state: String?
    @Nullable var country: String?
    @Nullable var countryCode: String?

    static let schemaName: String? = "LearnedPlace"
    static let notes = LocalityNotes.all.merging(["id": "Id of the named place; null if it has no name."]) { own, _ in own }

    init(_ cluster: LearnedPlaces.Cluster, _ address: Address?, _ locality: PlaceName) {
      id = cluster.place?.word
      name = cluster.place?.options.name ?? cluster.visitName
      latitude = cluster.center.latitude
      longitude = cluster.center.longitude
      visits = cluster.visits
      seconds = cluster.seconds
      first = Date(millisecondsSince1970: cluster.first)
      last = Date(millisecondsSince1970: cluster.last)
      self.address = address.map { PlaceAddress($0) }
      (town, state, country, countryCode) = (locality.town, locality.state, locality.country, locality.countryCode)
    }
  }

  /// An address that a geocoder returned.
  struct PlaceAddress: ResultObject {
    var text: String
    @Nullable var name: String?
    @Nullable var locality: String?
    @Nullable var country: String?
    var attribution: String

    static let schemaName: String? = "Address"
    static let notes: [String: JSONValue] = [
      "country": "The two-letter code.", "attribution": "Required attribution of the address.",
    ]

    init(_ address: Address) {
      text = address.text
      name = address.name
      locality = address.locality
      country = address.country
      attribution = address.attribution
    }
  }

  struct PlaceList: ResultObject {
    var places: [Place]
    /// Only with `learned=true`.
    var learned: [LearnedPlace]?
  }

  struct PlaceChangeList: ResultObject {
    var changes: [FormerPlace]
  }

  /// A change of a place that can be undone.
  struct FormerPlace: ResultObject {
    var id: String
    var kind: PlaceChange.Kind
    var place: String
    var name: String
    @Nullable var into: String?
    @Nullable var intoName: String?
    var changed: Date
    var until: Date
    var canUndo: Bool

    static let schemaName: String? = "PlaceChange"
    static let notes: [String: JSONValue] = [
      "place": "The id of the place.", "name": "The name before the change.",
      "into": "With kind merge: the id of the place that remained.", "into_name": "Its name before the change.",
      "until": "When the change can no longer be undone.",
      "can_undo": "False: a newer change of the same place must be undone first.",
    ]

    init(_ change: PlaceChange, canUndo: Bool) {
      id = change.label
      kind = change.kind
      place = "place_\(change.place)"
      name = change.name
      into = change.target.map { "place_\($0)" }
      intoName = change.targetName
      (changed, until, self.canUndo) = (change.created, change.expires, canUndo)
    }
  }

  /// Returns whether one of the texts of a place contains the search text. Case and diacritics are ignored.
  static func matches(_ search: String?, _ texts: [String?]) -> Bool {
    guard let search, !search.isEmpty else { return true }
    return texts.contains { $0?.range(of: search, options: [.caseInsensitive, .diacriticInsensitive]) != nil }
  }

  // MARK: Requests

  struct ListParameters: ParameterList {
    let device: DeviceName?
    let learned: Bool
    let totals: Bool
    let search: String?

    static let notes: [String: JSONValue] = [
      "learned": ["description": "Whether to include the places of the device's visits.", "default": false],
      "totals": ["description": "Whether to include how often and how long devices were there.", "default": false],
      "search": "Only places whose name, town, state or country has this text; accents and case do not matter.",
    ]
  }

  struct VisitParameters: ParameterList {
    let limit: PageLimit<StandardPages>
    let cursor: PageCursor<TimelineAPI.Place<RowOfDevice>>?
  }

  struct PlaceMerge: BodyObject {
    let into: String
    static let kind = "merge"
    static let notes: [String: JSONValue] = ["into": "The id of the place that remains."]
  }

  enum NameLimits: TextLimits {
    static let length = PlaceEditor.nameLengths
  }

  enum RadiusLimits: NumberLimits {
    static let range = PlaceEditor.radii
    static let expected = "20 to 5000 metres."
  }

  struct NewPlace: BodyObject {
    let device: String?
    let name: LimitedText<NameLimits>
    let latitude: Latitude
    let longitude: Longitude
    let radius: LimitedNumber<RadiusLimits>?

    static let kind = "place"
    static let notes: [String: JSONValue] = [
      "device": "The device whose owner gets the place.", "radius": ["description": "Metres.", "default": 100],
    ]
    var options: NamedPlace.Options { get throws { try PlaceAPI.options(name, latitude, longitude, radius) } }
  }

  struct ChangedPlace: BodyObject {
    let name: LimitedText<NameLimits>
    let latitude: Latitude
    let longitude: Longitude
    let radius: LimitedNumber<RadiusLimits>?

    static let kind = "place"
    static let notes: [String: JSONValue] = ["radius": ["description": "Metres.", "default": 100]]
    var options: NamedPlace.Options { get throws { try PlaceAPI.options(name, latitude, longitude, radius) } }
  }

  private static func options(
    _ name: LimitedText<NameLimits>, _ latitude: Latitude, _ longitude: Longitude, _ radius: LimitedNumber<RadiusLimits>?
  ) throws -> NamedPlace.Options {
    NamedPlace.Options(name: name.text, center: try latitude.coordinate(longitude), radius: radius?.value ?? 100)
  }
}
