package import Foundation
internal import GodwitHistory
package import GodwitModel
package import GodwitStore

/// Adds, changes, merges and removes named places. A change can be undone for a week, starting with the newest change of a place.
package struct PlaceEditor {
  private let db: any SQLConnection
  private let now: Date

  /// - Parameters:
  ///   - db: A connection in a transaction.
  ///   - now: Time of the changes.
  package init(_ db: any SQLConnection, at now: Date) {
    self.db = db
    self.now = now
  }

  /// The reason why a change is rejected.
  package struct Rejection: Error, CustomStringConvertible, Equatable {
    package enum Reason: Sendable, Equatable {
      /// The user has the maximum number of places.
      case full
      /// The places are the same, or belong to two users.
      case unrelated
      /// The places are too far apart for one circle.
      case far
      /// A newer change of the place must be undone first.
      case newer
    }
    package var reason: Reason
    package var description: String
  }

  /// Maximum number of places of a user.
  package static let maximum = 1_000
  /// Length of a name in characters.
  package static let nameLengths = 1...100
  /// Radius in metres.
  package static let radii: ClosedRange<Meters> = 20...5_000
  /// Maximum number of stored changes of a user. Older changes can no longer be undone.
  package static let maximumChanges = 1_000

  /// - Parameter account: The user; `nil` for the administrator.
  /// - Throws: ``Rejection``, or an error of the store.
  package func add(_ options: NamedPlace.Options, of account: Int64?) throws -> NamedPlace {
    try checkRoom(of: account)
    guard let made = try PlaceTables.add(options, of: account, at: now, db) else { throw StoreError.closed }
    return made
  }

  package func change(_ place: NamedPlace, to options: NamedPlace.Options) throws -> NamedPlace {
    guard options != place.options else { return place }
    try record(.edit, of: place, PlaceChange.Content(place: PlaceChange.Former(place)))
    try PlaceTables.change(place.id, options, db)
    var changed = place
    changed.options = options
    return changed
  }

  package func remove(_ place: NamedPlace) throws {
    try record(.removal, of: place, PlaceChange.Content(place: PlaceChange.Former(place)))
    try PlaceTables.remove(place.id, db)
  }

  /// Merges two places into one, with a circle around both.
  /// - Parameters:
  ///   - gone: The place that is merged and removed.
  ///   - kept: The place that remains, with its name.
  /// - Throws: ``Rejection``, or an error of the store.
  package func merge(_ gone: NamedPlace, into kept: NamedPlace) throws -> NamedPlace {
    guard gone.id != kept.id, gone.account == kept.account else {
      throw Rejection(reason: .unrelated, description: "expected another place of the same user.")
    }
    var merged = kept
    merged.options = kept.options.merged(with: gone.options)
    guard Self.radii.contains(merged.options.radius) else {
      throw Rejection(
        reason: .far, description: "The two places are too far apart: a place has at most 5000 metres of radius.")
    }
    let corrections = try CorrectionTable.replacePlace(gone.id, with: kept.id, of: kept.account, db)
    let content = PlaceChange.Content(
      place: PlaceChange.Former(gone), target: PlaceChange.Former(kept), corrections: corrections)
    try record(.merge, of: gone, content, target: kept.id)
    try PlaceTables.change(kept.id, merged.options, db)
    try PlaceTables.remove(gone.id, db)
    return merged
  }

  private func record(
    _ kind: PlaceChange.Kind, of place: NamedPlace, _ content: PlaceChange.Content, target: Int64? = nil
  ) throws {
    try PlaceChangeTable.add(kind, of: place, content, target: target, at: now, db)
    for change in try PlaceChangeTable.all(of: place.account, at: now, db).dropFirst(Self.maximumChanges) {
      try PlaceChangeTable.remove(change.id, db)
    }
  }

  private func checkRoom(of account: Int64?) throws {
    guard try PlaceTables.all(of: account, db).count < Self.maximum else {
      throw Rejection(reason: .full, description: "The limit is \(Self.maximum) places. Remove one first.")
    }
  }

  // MARK: Undoing

  /// Returns the change with an identifier of the API, if it can still be undone.
  package func change(labelled label: String) throws -> PlaceChange? {
    try PlaceChange.number(of: label).flatMap { try PlaceChangeTable.change($0, at: now, db) }
  }

  /// Returns the changes of a user's places, newest first, and whether each can be undone now.
  package func changes(of account: Int64?) throws -> [(change: PlaceChange, isFree: Bool)] {
    let all = try PlaceChangeTable.all(of: account, at: now, db)
    return all.enumerated().map { index, change in (change, !all[..<index].contains { $0.concerns(change) }) }
  }

  /// Restores a place to its state before a change.
  /// - Returns: The place.
  /// - Throws: ``Rejection``, or an error of the store.
  package func undo(_ change: PlaceChange) throws -> NamedPlace {
    let newer = try PlaceChangeTable.all(of: change.account, at: now, db).first { $0.id > change.id && $0.concerns(change) }
    if let newer {
      throw Rejection(
        reason: .newer, description: "\(newer.name) was changed again later. Undo \(newer.label) first, the newest change first.")
    }
    guard let options = change.content.place.options else { throw StoreError.closed }
    let place = NamedPlace(
      id: change.place, account: change.account, options: options,
      created: Date(millisecondsSince1970: change.content.place.created))
    switch change.kind {
    case .edit: try PlaceTables.change(place.id, options, db)
    case .removal: try restore(place)
    case .merge:
      try restore(place)
      guard let target = change.target else { break }
      if let former = change.content.target?.options { try PlaceTables.change(target, former, db) }
      try CorrectionTable.replacePlace(target, with: place.id, in: change.content.corrections ?? [], db)
    }
    try PlaceChangeTable.remove(change.id, db)
    return place
  }

  private func restore(_ place: NamedPlace) throws {
    try checkRoom(of: place.account)
    try PlaceTables.restore(place, db)
  }

  /// Permanently deletes the undo data of a change, and of older changes of the same places.
  package func discard(_ change: PlaceChange) throws {
    for older in try PlaceChangeTable.all(of: change.account, at: now, db) where older.id <= change.id {
      if older.concerns(change) { try PlaceChangeTable.remove(older.id, db) }
    }
  }
}
