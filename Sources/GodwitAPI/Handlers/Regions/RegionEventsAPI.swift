internal import GodwitAccess
internal import GodwitGeofencing
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore

/// `GET /api/v1/region-events`: lists region events, the newest first.
struct RegionEventsAPI {
  let work: RequestWork

  struct Parameters: ParameterList {
    let device: DeviceName?
    let region: String?
    let limit: PageLimit<StandardPages>
    let cursor: PageCursor<RowCursor>?
    static let notes: [String: JSONValue] = ["region": "Only of this region."]
  }

  struct EventPage: ResultObject {
    var events: [JSONFragment]
    var nextCursor: NextCursor
  }

  func list(_ request: ParameterRequest<Parameters>) async throws -> EventPage {
    let (principal, parameters) = (request.principal, request.parameters)
    let limit = parameters.limit.count
    return try await work.run {
      let device = try parameters.device.map { try principal.device(named: $0.name, in: work.store, wholly: true).id }
      let events = try work.store.read { db in
        try RegionEventTables.list(
          of: device.map { [$0] } ?? principal.ownDevices.map { Array($0) }, region: parameters.region,
          before: parameters.cursor?.place.row ?? .max, limit: limit, db)
      }
      return EventPage(
        events: events.map { JSONFragment($0.body) },
        nextCursor: NextCursor(events.count == limit ? events.last.map { String($0.id) } : nil))
    }
  }
}
