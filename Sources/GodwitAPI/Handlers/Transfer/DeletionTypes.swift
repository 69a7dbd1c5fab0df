internal import Foundation
internal import GodwitAccounts
internal import GodwitDeletion
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes

extension DeletionAPI {
  // MARK: Parameters

  /// The parameters of a deletion.
  struct DryRun: ParameterList {
    let dryRun: Bool
    let permanent: Bool
    static let notes = dryNotes.merging(permanentNotes) { own, _ in own }
  }

  /// The parameters of a request that cannot be undone.
  struct ZoneParameters: ParameterList {
    let dryRun: Bool
    static let notes = dryNotes
  }

  /// The parameters that select points by time, by area, or by both.
  struct PointParameters: ParameterList {
    let times: TimeRange
    let bbox: BoxParameter?
    let lat: NumberParameter<Latitudes>?
    let lon: NumberParameter<Longitudes>?
    let radius: NumberParameter<Radii>?
    let polygon: PolygonParameter?
    let dryRun: Bool
    let permanent: Bool

    static let notes: [String: JSONValue] = dryNotes.merging(permanentNotes) { own, _ in own }.merging([
      "lat": "Latitude of the circle's centre, degrees.", "lon": "Longitude of the circle's centre, degrees.",
      "radius": "Radius in metres.",
    ]) { own, _ in own }

    /// Returns the selection without its device.
    var selection: PointSelection {
      get throws(Problem) {
        var selection = PointSelection(device: 0)
        selection.area = try area
        guard times.from != nil || times.to != nil || selection.area != nil else {
          throw Problem(
            400, "Bad argument",
            "Select points: from and to, bbox, polygon, or lat, lon and radius. DELETE /api/v1/devices/NAME deletes all of a device."
          )
        }
        let range = try times.milliseconds(in: selection.from..<selection.to)
        (selection.from, selection.to) = (range.lowerBound, range.upperBound)
        return selection
      }
    }

    private var area: DeletionArea? {
      get throws(Problem) {
        let isCircle = lat != nil || lon != nil || radius != nil
        guard [bbox != nil, polygon != nil, isCircle].filter({ $0 }).count <= 1 else {
          throw Problem(400, "Bad argument", "Give one area: bbox, polygon, or lat, lon and radius.")
        }
        if let polygon { return .shape(.area(polygon.polygons)) }
        guard isCircle else { return bbox.map { .box($0.box) } }
        guard let lat, let lon, let radius, let center = Coordinate(latitude: lat.value, longitude: lon.value) else {
          throw Problem(400, "Bad argument", "lat, lon and radius belong together: degrees, and \(Radii.expected).")
        }
        return .shape(.circle(Circle(center: center, radius: radius.value)))
      }
    }
  }

  enum Latitudes: NumberParameterLimits {
    static let range = LatitudeLimits.range
    static let expected = "degrees, -90 to 90"
  }
  enum Longitudes: NumberParameterLimits {
    static let range = LongitudeLimits.range
    static let expected = "degrees, -180 to 180"
  }
  enum Radii: NumberParameterLimits {
    static let range = PointSelection.radii
    static let expected = "metres, \(Int(range.lowerBound)) to \(Int(range.upperBound))"
  }

  struct UserParameters: ParameterList {
    let data: UserData
    let dryRun: Bool
    let permanent: Bool

    static let notes: [String: JSONValue] = dryNotes.merging(permanentNotes) { own, _ in own }.merging([
      "data": "`delete`: all devices and data of the user are deleted; `keep`: the devices become the administrator's."
    ]) { own, _ in own }
  }

  /// What happens to the data of a deleted user.
  enum UserData: String, Codable, CaseIterable, ParameterValue {
    case delete, keep
    static func missing(_ name: String) -> Problem {
      Problem(
        400, "Bad argument",
        "data: missing; use data=delete to delete all devices and data of the user, or data=keep to give the devices to the administrator.",
        at: name)
    }
  }

  private static let dryNotes: [String: JSONValue] = [
    "dry_run": ["description": "`true` returns how much would be deleted, and changes nothing.", "default": false]
  ]

  private static let permanentNotes: [String: JSONValue] = [
    "permanent": ["description": "`true` deletes for good at once; otherwise the trash has it for a week.", "default": false]
  ]

  // MARK: Results

  /// The numbers of records that were deleted, or that would be deleted.
  struct Deletion: ResultObject {
    var dryRun: Bool
    var counts: Counts
    @Nullable var trash: String?
    @Nullable var undoUntil: Date?

    static let schemaName: String? = "Deletion"
    static let notes: [String: JSONValue] = [
      "trash": "The entry of the trash, whose undo restores everything; null: nothing can be undone.",
      "undo_until": "When the entry is deleted for good.",
    ]

    init(dryRun: Bool, counts: DeletionCounts, entry: TrashEntry? = nil) {
      (self.dryRun, self.counts, trash, undoUntil) = (dryRun, Counts(counts), entry?.label, entry?.expires)
    }
  }

  /// The numbers of deleted records by kind.
  struct Counts: Codable, Sendable, DocumentedValue, JSONWritable {
    private let text: String
    init(_ counts: DeletionCounts) { text = counts.json }
    static func schema(in components: SchemaComponents) -> JSONValue {
      let names = DeletionCounts().members.map(\.name)
      let count: JSONValue = ["type": "integer", "minimum": 0]
      return [
        "type": "object", "properties": .object(Dictionary(uniqueKeysWithValues: names.map { ($0, count) })),
        "required": .array(names.map { .string($0) }),
      ]
    }
    static var sample: Self { Self(DeletionCounts()) }
    func write(to bytes: inout [UInt8]) { bytes += Array(text.utf8) }
  }
}
