internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText
internal import GodwitVisits

/// `/api/v1/places`: named places, and the places that visits refer to.
struct PlaceAPI {
  let work: RequestWork
  let localities: Localities

  private static let maximumLearned = 200

  /// Lists the places of the user, or of the owner of a device; with `learned` also the clusters of the device's visits.
  func list(_ request: ParameterRequest<ListParameters>) async throws -> PlaceList {
    let (principal, name, isLearned) = (request.principal, request.parameters.device?.name, request.parameters.learned)
    let (hasTotals, search) = (request.parameters.totals, request.parameters.search)
    if isLearned, name == nil { throw Problem(400, "Bad argument", "learned=true needs device=NAME.") }
    return try await work.run {
      let device = try name.map { try principal.device(named: $0, in: work.store, wholly: true) }
      return try work.store.read { db in
        let account = try device.map { try TrackTables.owner(of: $0.id, db) } ?? principal.user?.id
        let places = try PlaceTables.all(of: account, db)
        let totals =
          hasTotals ? try PlaceVisits(Self.devices(of: account, principal, db), places, db).totals() : nil
        var list = PlaceList(
          places: try places.map { place in
            let sum = totals.map { $0[place.id] ?? PlaceVisits.Totals() }
            return Place(place, try localities.name(of: place.options.center), sum)
          }.filter { Self.matches(search, [$0.name, $0.town, $0.state, $0.country]) })
        if isLearned, let device {
          let all = TimelineRows.Query(device: device.id, times: .min..<Int64.max)
          let learned = LearnedPlaces(try CorrectedTimeline(db).visits(all), PlaceFinder(places))
          list.learned = try Self.learned(learned, matching: search, localities, db)
        }
        return list
      }
    }
  }

  /// Returns the clusters without a named place, those with the longest total stay first.
  private static func learned(
    _ places: LearnedPlaces, matching search: String?, _ localities: Localities, _ db: any SQLConnection
  ) throws -> [LearnedPlace] {
    var found: [LearnedPlace] = []
    for cluster in places.clusters where cluster.place == nil && found.count < maximumLearned {
      let place = LearnedPlace(
        cluster, try AddressTable.address(near: cluster.center, db), try localities.name(of: cluster.center))
      if matches(search, [place.address?.text, place.town, place.state, place.country]) { found.append(place) }
    }
    return found
  }

  func add(_ request: BodyRequest<NewPlace>) async throws -> Created<Place> {
    let (principal, body, options, now) = (request.principal, request.body, try request.body.options, work.now)
    let device = try await work.run { try body.device.map { try principal.device(named: $0, in: work.store, wholly: true) } }
    request.audit(options.name)
    return try await work.write { db in
      let account = try device.map { try TrackTables.owner(of: $0.id, db) } ?? principal.user?.id
      let made = try Self.problems { try PlaceEditor(db, at: now).add(options, of: account) }
      return Created(Place(made, try localities.name(of: made.options.center)))
    }
  }

  func change(_ request: BodyRequest<ChangedPlace>) async throws -> Place {
    let (principal, id, options, now) = (request.principal, request.parameter, try request.body.options, work.now)
    return try await work.write { db in
      let place = try PlaceEditor(db, at: now).change(try Self.place(id, of: principal, db), to: options)
      return Place(place, try localities.name(of: place.options.center))
    }
  }

  func remove(_ request: PlainRequest) async throws -> Deleted {
    let (principal, id, now) = (request.principal, request.parameter, work.now)
    return try await work.write { db in
      try PlaceEditor(db, at: now).remove(try Self.place(id, of: principal, db))
      return Deleted(id)
    }
  }

  /// Lists the visits of a place, newest first.
  func visits(_ request: ParameterRequest<VisitParameters>) async throws -> PlaceVisitPage {
    let (principal, id, parameters) = (request.principal, request.http.parameter, request.parameters)
    return try await work.run {
      try work.store.read { db in
        let place = try Self.place(id, of: principal, db)
        let places = try PlaceTables.all(of: place.account, db)
        let all = try PlaceVisits(Self.devices(of: place.account, principal, db), places, db).visits(of: place)
        let rest = all[...].drop { item in
          guard let cursor = parameters.cursor?.place else { return false }
          return (item.visit.visit.arrival, item.device.id) >= (cursor.numbers[1], cursor.device)
        }
        let page = rest.prefix(parameters.limit.count)
        let next = page.last.map { "\($0.device.id)_\($0.visit.visit.arrival)" }
        return PlaceVisitPage(
          place: Place(place, try localities.name(of: place.options.center)),
          visits: try page.map { found in
            TimelineAPI.Visit(found.visit, of: found.device, place, nil, try localities.name(of: found.visit.visit.coordinate))
          },
          nextCursor: NextCursor(rest.count > page.count ? next : nil))
      }
    }
  }

  /// Merges a place into another one. The remaining place gets a circle around both.
  func merge(_ request: BodyRequest<PlaceMerge>) async throws -> Place {
    let (principal, id, into, now) = (request.principal, request.parameter, request.body.into, work.now)
    request.audit(id)
    return try await work.write { db in
      let (gone, kept) = (try Self.place(id, of: principal, db), try Self.place(into, of: principal, db))
      let merged = try Self.problems { try PlaceEditor(db, at: now).merge(gone, into: kept) }
      return Place(merged, try localities.name(of: merged.options.center))
    }
  }

  // MARK: Changes of the last week

  /// Lists the changes of the user's places that can be undone, newest first.
  func changes(_ request: PlainRequest) async throws -> PlaceChangeList {
    let (account, now) = (request.principal.user?.id, work.now)
    return try await work.run {
      try work.store.read { db in
        PlaceChangeList(
          changes: try PlaceEditor(db, at: now).changes(of: account).map { FormerPlace($0.change, canUndo: $0.isFree) })
      }
    }
  }

  /// Restores a place to its state before a change.
  func undo(_ request: PlainRequest) async throws -> Place {
    let (principal, id, now) = (request.principal, request.parameter, work.now)
    request.audit(id)
    return try await work.write { db in
      let editor = PlaceEditor(db, at: now)
      let change = try Self.change(id, of: principal, editor)
      let place = try Self.problems { try editor.undo(change) }
      return Place(place, try localities.name(of: place.options.center))
    }
  }

  /// Deletes the data that is needed to undo a change.
  func discard(_ request: PlainRequest) async throws -> Deleted {
    let (principal, id, now) = (request.principal, request.parameter, work.now)
    request.audit(id)
    return try await work.write { db in
      let editor = PlaceEditor(db, at: now)
      try editor.discard(try Self.change(id, of: principal, editor))
      return Deleted(id)
    }
  }

  /// Returns a change that the user may undo.
  private static func change(_ id: String, of principal: Principal, _ editor: PlaceEditor) throws -> PlaceChange {
    guard let known = try editor.change(labelled: id),
      known.account == principal.user?.id || principal.isAdministrator
    else {
      throw Problem(
        404, "Unknown change",
        "There is no change \(id.jsonQuoted): it was undone, or it is older than a week. /api/v1/place-changes lists the existing ones."
      )
    }
    return known
  }

  private static func problems<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let rejection as PlaceEditor.Rejection {
      switch rejection.reason {
      case .full: throw Problem(409, "Too many places", "\(rejection)")
      case .unrelated: throw PlaceMerge.fault("into", "\(rejection)")
      case .far: throw Problem(409, "Not possible", "\(rejection)", at: "into")
      case .newer: throw Problem(409, "Not possible", "\(rejection)")
      }
    }
  }

  /// Returns the devices of an account whose data the user may see completely.
  private static func devices(of account: Int64?, _ principal: Principal, _ db: any SQLConnection) throws -> [Device] {
    try TimelineAPI.devices(of: principal, db).filter { try TrackTables.owner(of: $0.id, db) == account }
  }

  /// Returns a place that the user may change.
  private static func place(_ id: String, of principal: Principal, _ db: any SQLConnection) throws -> NamedPlace {
    guard let number = NamedPlace.number(of: id), let known = try PlaceTables.place(number, db),
      known.account == principal.user?.id || principal.isAdministrator
    else { throw Problem(404, "Unknown place", "There is no place \(id.jsonQuoted). /api/v1/places lists the existing ones.") }
    return known
  }
}
