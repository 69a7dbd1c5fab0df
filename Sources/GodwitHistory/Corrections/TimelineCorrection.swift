package import Foundation
package import GodwitModel

/// A user's correction of a visit or a trip. It is stored beside the computed timeline and applied when the timeline is read, so
/// that it is independent of computations: see ``CorrectionRules``.
package struct TimelineCorrection: Sendable, Hashable {
  package var id: Int64
  package var device: Int64
  package var created: Date
  /// When the correction was undone; `nil` if it is in effect.
  package var undone: Date?
  package var body: Body

  package init(id: Int64, device: Int64, created: Date, undone: Date? = nil, body: Body) {
    self.id = id
    self.device = device
    self.created = created
    self.undone = undone
    self.body = body
  }

  /// Seconds after its creation in which a correction can be undone.
  package static let undoPeriod = 7 * 86_400.0

  /// The identifier in the API.
  package var label: String { "fix_\(id)" }

  package static func number(of label: String) -> Int64? { RowNumber(label, after: "fix_")?.value }

  /// The corrected entry, and the change.
  package struct Body: Sendable, Hashable {
    package var target: Target
    package var action: Action

    package init(_ action: Action, of target: Target) {
      self.target = target
      self.action = action
    }

    /// The positions in the correction.
    package var places: [Coordinate] {
      var places = [target.place]
      switch action {
      case .move(let move): places.append(move.place)
      case .split(_, let place): places.append(place)
      case .confirm, .rename, .merge, .mode, .delete: break
      }
      return places.compactMap { $0?.coordinate }
    }

    /// The time range that the correction can affect, in milliseconds since 1970.
    package var reach: ClosedRange<Int64> {
      var (first, last) = (target.start, max(target.start, target.end))
      if case .move(let move) = action {
        for time in [move.start, move.end].compactMap(\.self) { (first, last) = (min(first, time), max(last, time)) }
      }
      return first...last
    }
  }

  /// The entry of the timeline as it was shown, or several consecutive entries.
  package struct Target: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
      case visit, trip
    }
    package var kind: Kind
    /// Milliseconds since 1970.
    package var start: Int64
    package var end: Int64
    /// Whether the visit had not ended.
    package var isOpen: Bool
    /// The position of a visit; `nil` for a trip.
    package var place: FixedPosition?

    package init(_ kind: Kind, start: Int64, end: Int64, isOpen: Bool = false, place: FixedPosition? = nil) {
      self.kind = kind
      self.start = start
      self.end = end
      self.isOpen = isOpen
      self.place = place
    }
  }

  package enum Action: Sendable, Hashable {
    /// The entry is correct.
    case confirm
    /// The visit has this name, or is at this named place.
    case rename(VisitName)
    /// The visit was at another position, or the entry had other times.
    case move(Move)
    /// All entries of the target are a single entry.
    case merge
    /// The entry is two entries. - Parameters: the time of the split in milliseconds since 1970; the position at that time, if known.
    case split(at: Int64, place: FixedPosition?)
    case mode(TravelMode)
    /// The entry is not shown. Its points stay.
    case delete

    /// The name in the API.
    package var name: Name {
      switch self {
      case .confirm: .confirm
      case .rename: .rename
      case .move: .move
      case .merge: .merge
      case .split: .split
      case .mode: .mode
      case .delete: .delete
      }
    }

    package enum Name: String, Sendable, Hashable, Codable, CaseIterable {
      case confirm, rename, move, merge, split, mode, delete
    }
  }

  /// The name of one visit.
  package enum VisitName: Sendable, Hashable {
    case text(String)
    /// The number of a named place.
    case place(Int64)
  }

  /// New values of an entry. A value that is `nil` stays as computed. Times are milliseconds since 1970.
  package struct Move: Sendable, Hashable {
    package var place: FixedPosition?
    package var start: Int64?
    package var end: Int64?

    package init(place: FixedPosition? = nil, start: Int64? = nil, end: Int64? = nil) {
      self.place = place
      self.start = start
      self.end = end
    }
  }
}

/// A position in the units of the store.
package struct FixedPosition: Sendable, Hashable {
  /// 1e-7 degrees.
  package var latitude: Int32
  package var longitude: Int32

  package init(_ place: Coordinate) {
    latitude = Int32((place.latitude * 1e7).rounded())
    longitude = Int32((place.longitude * 1e7).rounded())
  }

  package init(latitude: Int32, longitude: Int32) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// The coordinate; `nil` if the value is damaged.
  package var coordinate: Coordinate? { Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7) }
}
