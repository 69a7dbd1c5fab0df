internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText

/// `/api/v1/places`: named places, and the places that visits refer to.
struct PlaceAPI {
  let work: RequestWork
  let localities: Localities

  private static let maximumPlaces = 1_000
  private static let maximumLearned = 200

  /// Lists the places of the user, or of the owner of a device; with `learned` also clusters of the device's visits.
  func list(_ request: ParameterRequest<ListParameters>) async throws -> PlaceList {
    let (principal, name, isLearned) = (request.principal, request.parameters.device?.name, request.parameters.learned)
    let search = request.parameters.search
    if isLearned, name == nil { throw Problem(400, "Bad argument", "learned=true needs device=NAME.") }
    return try await work.run {
      let device = try name.map { try principal.device(named: $0, in: work.store, wholly: true) }
      return try work.store.read { db in
        let account = try device.map { try TrackTables.owner(of: $0.id, db) } ?? principal.user?.id
        let places = try PlaceTables.all(of: account, db)
        var list = PlaceList(
          places: try places.map { Place($0, try localities.name(of: $0.options.center)) }.filter {
            Self.matches(search, [$0.name, $0.town, $0.state, $0.country])
          })
        if isLearned, let device {
          let all = TimelineRows.Query(device: device.id, times: .min..<Int64.max)
          let learned = LearnedPlaces(try TimelineRows(db).visits(all), PlaceFinder(places))
          list.learned = try Self.learned(learned, matching: search, localities, db)
        }
        return list
      }
    }
  }

  /// The clusters without a name, the longest stays first.
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
      guard try PlaceTables.all(of: account, db).count < Self.maximumPlaces else {
        throw Problem(409, "Too many places", "The limit is \(Self.maximumPlaces). Remove one first.")
      }
      guard let made = try PlaceTables.add(options, of: account, at: now, db) else { throw StoreError.closed }
      return Created(Place(made, try localities.name(of: made.options.center)))
    }
  }

  func change(_ request: BodyRequest<PlaceChange>) async throws -> Place {
    let (principal, id, options) = (request.principal, request.parameter, try request.body.options)
    return try await work.write { db in
      var place = try Self.place(id, of: principal, db)
      place.options = options
      try PlaceTables.change(place.id, options, db)
      return Place(place, try localities.name(of: place.options.center))
    }
  }

  func remove(_ request: PlainRequest) async throws -> Deleted {
    let (principal, id) = (request.principal, request.parameter)
    return try await work.write { db in
      try PlaceTables.remove(try Self.place(id, of: principal, db).id, db)
      return Deleted(id)
    }
  }

  /// A place that the requester may change.
  private static func place(_ id: String, of principal: Principal, _ db: any SQLConnection) throws -> NamedPlace {
    guard let number = NamedPlace.number(of: id), let known = try PlaceTables.place(number, db),
      known.account == principal.user?.id || principal.isAdministrator
    else { throw Problem(404, "Unknown place", "There is no place \(id.jsonQuoted). /api/v1/places lists the existing ones.") }
    return known
  }
}
