internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitTiles

/// `GET /api/v1/history/tiles/…`: the history of several devices as vector tiles.
struct HistoryTileAPI {
  let work: RequestWork
  private let localities: Localities
  private let cache = HistoryTileCache()

  init(work: RequestWork, localities: Localities) {
    self.work = work
    self.localities = localities
  }

  /// `GET /api/v1/history/explored`
  func explored(_ request: ParameterRequest<ExploredParameters>) async throws -> Explored {
    let (principal, parameters) = (request.principal, request.parameters)
    let times = try parameters.times.milliseconds(in: TimeRange.all)
    return try await work.run {
      guard let city = try localities.city(latitude: parameters.at.latitude, longitude: parameters.at.longitude) else {
        return Explored(city: nil, countryCode: nil, radius: 0, hexagons: 0, explored: 0, share: 0)
      }
      let sources = try self.sources(parameters.device.names, times, of: principal)
      let area = try work.store.read { db in
        try ExploredArea.measured(in: city, of: sources, cache, db) { latitude, longitude in
          guard let place = Coordinate(latitude: latitude, longitude: longitude) else { return false }
          return try localities.name(of: place).countryCode != nil
        }
      }
      return Explored(
        city: city.name, countryCode: city.countryCode, radius: city.radius, hexagons: area.hexagons, explored: area.explored,
        share: area.share)
    }
  }

  /// `GET /api/v1/history/explored-country`
  func exploredCountry(_ request: ParameterRequest<ExploredParameters>) async throws -> CountryShare {
    let (principal, parameters) = (request.principal, request.parameters)
    let times = try parameters.times.milliseconds(in: TimeRange.all)
    let (names, at) = (localities.names, parameters.at)
    return try await work.run {
      let place = try names.name(latitude: at.latitude, longitude: at.longitude)
      guard let code = place.countryCode else { return CountryShare() }
      let sources = try self.sources(parameters.device.names, times, of: principal)
      let measured = try work.store.read { try ExploredCountry.measured(code, of: names, sources, cache, $0) }
      return measured.map { CountryShare(place, $0) } ?? CountryShare()
    }
  }

  /// Returns the devices with the given names, with the part of their data that the user may see.
  private func sources(_ names: [String], _ times: Range<Int64>, of principal: Principal) throws -> [HistoryTile.Source] {
    let devices = try devices(names, of: principal)
    let hidden = try HiddenPlaces(of: devices.map(\.id).filter { !principal.seesAll(of: $0) }, in: work.store)
    return devices.compactMap { Self.source($0, times, principal.accessLevel(of: $0.id), hidden) }
  }

  func tile(_ request: HTTPRequest) throws -> HTTPReply {
    let parameters = try Parameters(request.query)
    guard let coordinate = TileCoordinate(address: request.parameter) else {
      throw Problem(
        404, "Unknown tile",
        "\"\(request.parameter)\": expected zoom/column/row.mvt, with a zoom from 0 to \(TileCoordinate.largestZoom).")
    }
    let times = try parameters.times.milliseconds(in: TimeRange.all)
    let (principal, known) = (request.principal, request.header("If-None-Match"))
    return work.later(request) {
      let tile = HistoryTile(
        coordinate, layers: parameters.layers.layers, sources: try sources(parameters.device.names, times, of: principal))
      return try work.store.read { db in
        let tag = try Self.tag(tile, db)
        if EntityTag.matches(known, tag) { return Self.response(304, [], tag) }
        return Self.response(200, try HistoryTileReader(db, cache).tile(tile), tag)
      }
    }
  }

  /// Returns the devices with the given names, or the user's own devices if there are no names.
  private func devices(_ names: [String], of principal: Principal) throws -> [Device] {
    if names.isEmpty {
      let own = principal.ownDevices.map(Set.init)
      let devices = try work.store.read { try TrackTables.devices($0) }.filter { own?.contains($0.id) ?? true }
      return Array(devices.prefix(HistoryTile.maximumSources))
    }
    var known: Set<Int64> = []
    return try names.map { try principal.device(named: $0, in: work.store) }.filter { known.insert($0.id).inserted }
  }

  /// Returns the part of a device's data that is shown. For the device of a friend, these are the positions since a time and outside
  /// private zones. If only the newest position is shared, the device has no history.
  private static func source(
    _ device: Device, _ times: Range<Int64>, _ level: AccessLevel?, _ hidden: HiddenPlaces
  ) -> HistoryTile.Source? {
    switch level {
    case nil, .latest: return nil
    case .everything: return HistoryTile.Source(device: device.id, name: device.name, times: times, hasTimeline: true)
    case .since(let date):
      let first = max(times.lowerBound, date.millisecondsSince1970)
      guard first < times.upperBound else { return nil }
      return HistoryTile.Source(
        device: device.id, name: device.name, times: first..<times.upperBound, hasTimeline: false,
        hidden: hidden.area(of: device.id))
    }
  }

  /// Returns the entity tag: a hash of the versions of all data of the tile.
  private static func tag(_ tile: HistoryTile, _ db: any SQLConnection) throws -> String {
    var text = "\(HistoryTile.format)"
    for source in tile.sources {
      text += "\n\(source.name)\n\(source.times) \(source.hasTimeline) " + (try HistoryVersions.text(ofDevice: source.device, db))
    }
    if tile.sources.contains(where: { $0.hidden != nil }) { text += "\n\(try FilterVersion.current(db))" }
    return EntityTag.of(Array(text.utf8))
  }

  private static func response(_ status: Int, _ body: [UInt8], _ tag: String) -> HTTPResponse {
    HTTPResponse(status: status, contentType: TileContent.mediaType, body: body).with("ETag", tag)
      .with("Cache-Control", "private, no-cache")
  }
}
