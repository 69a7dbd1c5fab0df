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
  private let cache = HistoryTileCache()

  init(work: RequestWork) { self.work = work }

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
      let devices = try self.devices(parameters.device.names, of: principal)
      let hidden = try HiddenPlaces(of: devices.map(\.id).filter { !principal.seesAll(of: $0) }, in: work.store)
      let tile = HistoryTile(
        coordinate, layers: parameters.layers.layers,
        sources: devices.compactMap { Self.source($0, times, principal.accessLevel(of: $0.id), hidden) })
      return try work.store.read { db in
        let tag = try Self.tag(tile, db)
        if EntityTag.matches(known, tag) { return Self.response(304, [], tag) }
        return Self.response(200, try HistoryTileReader(db, cache).tile(tile), tag)
      }
    }
  }

  /// The devices of the names; without names, the principal's own.
  private func devices(_ names: [String], of principal: Principal) throws -> [Device] {
    if names.isEmpty {
      let own = principal.ownDevices.map(Set.init)
      let devices = try work.store.read { try TrackTables.devices($0) }.filter { own?.contains($0.id) ?? true }
      return Array(devices.prefix(HistoryTile.maximumSources))
    }
    var known: Set<Int64> = []
    return try names.map { try principal.device(named: $0, in: work.store) }.filter { known.insert($0.id).inserted }
  }

  /// What of a device is shown: of a friend's the positions since a moment and outside of private zones; a friend who shows the newest
  /// position has no history.
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

  /// The entity tag: a hash of the versions of all that the tile is made of.
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
