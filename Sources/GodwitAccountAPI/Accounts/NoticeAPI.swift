internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitStore
internal import GodwitText

/// `/api/v1/notices`: undismissed notices of the requesting account.
struct NoticeAPI {
  let work: RequestWork

  private static let pageSize = 50
  private static let largestPage = 500

  /// `GET /api/v1/notices`
  func list(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    let limit = try request.query.limit(standard: Self.pageSize, largest: Self.largestPage)
    let before = try request.query.cursor { RowNumber($0, after: "ntc_")?.value } ?? .max
    return work.later(request) {
      let rows = try work.store.read { try AccountNoticeTable.all(for: reader, before: before, limit: limit, $0) }
      let texts = rows.map { row in
        JSONText.object {
          $0.add("id", row.name)
          $0.add("time", row.time)
          $0.add("type", row.type)
          $0.add("detail", row.detail)
          $0.add("actor", row.actor)
          $0.add("address", row.address)
        }
      }
      return JSONText.page("notices", texts, nextCursor: rows.count == limit ? rows.last?.name : nil)
    }
  }

  /// `DELETE /api/v1/notices/ID`
  func dismiss(_ request: HTTPRequest) -> HTTPReply {
    let (name, reader) = (request.parameter, request.reader)
    return work.change(request) { db in
      guard let id = RowNumber(name, after: "ntc_")?.value, try AccountNoticeTable.remove(id, for: reader, db) else {
        throw Problem(
          404, "Unknown notice", "There is no notice \(name.jsonQuoted). /api/v1/notices lists the existing ones.")
      }
      return JSONText.response(JSONText.object { $0.add("dismissed", name) })
    }
  }
}
