internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitStore
internal import GodwitText

/// `GET /api/v1/region-events`: the events of regions, the newest first.
struct RegionEventsAPI {
  let work: RequestWork

  func list(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let limit = try request.query.limit()
    let after = try request.query.rowCursor() ?? .max
    let name = request.query["device"]
    let region = request.query["region"]
    let reader = request.reader
    return work.read(request) { [store = work.store] database in
      let device = try name.map { name in
        guard let device = try store.device(named: name), reader.seesAll(of: device.id) else {
          throw Problem(404, "Unknown device", "No device is called \(name.jsonQuoted). /api/v1/devices lists all devices.")
        }
        return device.id
      }
      // Four query texts, so that each uses its own index. Events without a region are not listed here.
      var conditions = "id < ? AND region <> ''"
      var arguments: [SQLArgument] = [.integer(after)]
      if let device {
        conditions += " AND device = ?"
        arguments.append(device.argument)
      }
      if device == nil, let own = reader.ownDevices {
        // `IN ()` is not valid in every SQL dialect.
        conditions += own.isEmpty ? " AND 1 = 0" : " AND device IN (\(own.map { _ in "?" }.joined(separator: ",")))"
        arguments += own.map(\.argument)
      }
      if let region {
        conditions += " AND region = ?"
        arguments.append(region.argument)
      }
      var texts: [String] = []
      var last: Int64 = 0
      try database.query(
        "SELECT id, body FROM region_events WHERE \(conditions) ORDER BY id DESC LIMIT ?", with: arguments + [limit.argument]
      ) { row in
        last = row.integer(0)
        texts.append(row.text(1))
        return true
      }
      return JSONText.page("events", texts, nextCursor: texts.count == limit ? String(last) : nil)
    }
  }
}
