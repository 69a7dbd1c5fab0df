internal import Foundation
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
internal import GodwitStore
internal import GodwitText
internal import GodwitVisits

extension TimelineCorrection.Target.Kind: BodyValue {}
extension TimelineCorrection.Action.Name: BodyValue {}
extension TravelMode: BodyValue {}

extension CorrectionAPI {
  struct ListParameters: ParameterList {
    let device: StatisticsAPI.NeededDevice
    let times: TimeRange
    let limit: PageLimit<StandardPages>
    let cursor: PageCursor<RowCursor>?
  }

  // MARK: Requests

  struct NewCorrection: BodyObject {
    let device: String
    let kind: TimelineCorrection.Target.Kind
    let action: TimelineCorrection.Action.Name
    let start: BodyTime
    let end: BodyTime?
    let name: LimitedText<PlaceAPI.NameLimits>?
    let place: String?
    let latitude: Latitude?
    let longitude: Longitude?
    let newStart: BodyTime?
    let newEnd: BodyTime?
    let at: BodyTime?
    let mode: TravelMode?

    static let kind = "correction"
    static let notes: [String: JSONValue] = [
      "start": "Start of the visit or trip, or of the first one that is merged.",
      "end": "Its end, or that of the last one; without it, the entry that contains start.",
      "name": "For rename: the name of this visit.", "place": "For rename: the id of a named place.",
      "latitude": "For move: where the visit was.", "new_start": "For move: when it began.",
      "new_end": "For move: when it ended.",
      "at": "For split: the end of the first part.", "mode": "For mode: of the trip, or of its part between start and end.",
    ]

    /// The times of the corrected entry, in milliseconds since 1970.
    func times() throws -> ClosedRange<Int64> {
      let first = start.date.millisecondsSince1970
      let last = end?.date.millisecondsSince1970 ?? first
      guard first <= last else { throw Self.fault("end", "expected a time after start.") }
      return first...last
    }

    func change() throws -> TimelineCorrection.Action {
      try checkMembers()
      switch action {
      case .confirm: return .confirm
      case .merge: return .merge
      case .delete: return .delete
      case .rename: return .rename(try visitName())
      case .move: return .move(try moved())
      case .split:
        guard let at else { throw Self.fault("at", "missing.") }
        return .split(at: at.date.millisecondsSince1970, place: nil)
      case .mode:
        guard let mode else { throw Self.fault("mode", "missing.") }
        return .mode(mode)
      }
    }

    /// Rejects members of other actions, and actions of the other kind.
    private func checkMembers() throws {
      let present: [(String, Bool, TimelineCorrection.Action.Name)] = [
        ("name", name != nil, .rename), ("place", place != nil, .rename), ("latitude", latitude != nil, .move),
        ("longitude", longitude != nil, .move), ("new_start", newStart != nil, .move), ("new_end", newEnd != nil, .move),
        ("at", at != nil, .split), ("mode", mode != nil, .mode),
      ]
      for (member, isPresent, owner) in present where isPresent && owner != action {
        throw Self.fault(member, "\(action.rawValue) does not have it.")
      }
      if action == .mode, kind == .visit { throw Self.fault("kind", "a visit has no mode.") }
      if action == .rename, kind == .trip { throw Self.fault("kind", "a trip has no name.") }
      if kind == .trip, latitude != nil { throw Self.fault("latitude", "a trip has no place.") }
    }

    private func visitName() throws -> TimelineCorrection.VisitName {
      switch (name, place) {
      case (let name?, nil): return .text(name.text)
      case (nil, let place?):
        guard let number = NamedPlace.number(of: place) else {
          throw Self.fault("place", "there is no place \(place.jsonQuoted).")
        }
        return .place(number)
      case (nil, nil), (.some, .some): throw Self.fault("name", "expected either name or place.")
      }
    }

    private func moved() throws -> TimelineCorrection.Move {
      guard (latitude == nil) == (longitude == nil) else { throw Self.fault("longitude", LatitudeLimits.expected) }
      guard latitude != nil || newStart != nil || newEnd != nil else {
        throw Self.fault("latitude", "expected latitude and longitude, new_start, or new_end.")
      }
      var move = TimelineCorrection.Move(
        start: newStart?.date.millisecondsSince1970, end: newEnd?.date.millisecondsSince1970)
      if let latitude, let longitude { move.place = FixedPosition(try latitude.coordinate(longitude)) }
      return move
    }
  }

  // MARK: Results

  /// Whether a correction has an effect.
  enum State: String, Codable, CaseIterable, Sendable, DocumentedValue {
    /// The correction changes the timeline.
    case applied
    /// No computed visit or trip matches the correction at present. It applies again when one does.
    case waiting
    case undone
  }

  struct Correction: ResultObject {
    var id: String
    var device: String
    var kind: TimelineCorrection.Target.Kind
    var action: TimelineCorrection.Action.Name
    var start: Date
    @Nullable var end: Date?
    var state: State
    var created: Date
    var undoUntil: Date
    @Nullable var undone: Date?
    var name: String?
    var place: String?
    var latitude: Rounded7?
    var longitude: Rounded7?
    var newStart: Date?
    var newEnd: Date?
    var at: Date?
    var mode: TravelMode?

    static let schemaName: String? = "TimelineCorrection"
    static let notes: [String: JSONValue] = [
      "end": "null: the visit had not ended.", "undo_until": "Until then it can be undone.",
      "state": "waiting: no visit or trip of that time exists now; it applies again when one does.",
    ]

    init(_ correction: TimelineCorrection, of device: Device, applies: Bool) {
      let target = correction.body.target
      id = correction.label
      self.device = device.name
      kind = target.kind
      action = correction.body.action.name
      start = Date(millisecondsSince1970: target.start)
      end = target.isOpen ? nil : Date(millisecondsSince1970: target.end)
      state = correction.undone != nil ? .undone : applies ? .applied : .waiting
      created = correction.created
      undoUntil = correction.created.addingTimeInterval(TimelineCorrection.undoPeriod)
      undone = correction.undone
      switch correction.body.action {
      case .rename(.text(let text)): name = text
      case .rename(.place(let number)): place = "place_\(number)"
      case .move(let move):
        latitude = move.place?.coordinate.map { Rounded7($0.latitude) }
        longitude = move.place?.coordinate.map { Rounded7($0.longitude) }
        newStart = move.start.map { Date(millisecondsSince1970: $0) }
        newEnd = move.end.map { Date(millisecondsSince1970: $0) }
      case .split(let time, _): at = Date(millisecondsSince1970: time)
      case .mode(let mode): self.mode = mode
      case .confirm, .merge, .delete: break
      }
    }
  }

  struct CorrectionPage: ResultObject {
    var corrections: [Correction]
    var nextCursor: NextCursor
  }
}
