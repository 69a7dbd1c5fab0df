internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText

/// `/api/v1/notices`: undismissed notices of the requesting account.
struct NoticeAPI {
  let work: RequestWork

  enum Pages: PageLimits {
    static let standard = 50
    static let largest = 500
  }

  /// The id of the last notice of a page.
  struct Place: CursorFormat {
    let id: Int64
    init?(_ text: String) {
      guard let number = RowNumber(text, after: "ntc_") else { return nil }
      id = number.value
    }
  }

  struct ListParameters: ParameterList {
    let limit: PageLimit<Pages>
    let cursor: PageCursor<Place>?
  }

  struct Notice: ResultObject {
    var id: String
    var time: Date
    var type: String
    var detail: String
    var actor: String
    var address: String

    static let schemaName: String? = "Notice"
    static let notes: [String: JSONValue] = [
      "id": ["pattern": "^ntc_[0-9]+$"], "type": ["enum": .array(AccountEvent.allCases.map { .string($0.rawValue) })],
      "detail": "The name of the token or of its device; the browser's User-Agent.", "actor": "As in the log.",
      "address": "Of the client.",
    ]

    init(_ row: AccountNoticeTable.Row) {
      (id, time, type) = (row.name, row.time, row.type)
      (detail, actor, address) = (row.detail, row.actor, row.address)
    }
  }

  struct NoticePage: ResultObject {
    var notices: [Notice]
    var nextCursor: NextCursor
  }

  struct Dismissed: ResultObject {
    var dismissed: String
  }

  func list(_ request: ParameterRequest<ListParameters>) async throws -> NoticePage {
    let (principal, parameters) = (request.principal, request.parameters)
    let limit = parameters.limit.count
    return try await work.read { db in
      let rows = try AccountNoticeTable.all(for: principal, before: parameters.cursor?.place.id ?? .max, limit: limit, db)
      return NoticePage(
        notices: rows.map { Notice($0) }, nextCursor: NextCursor(rows.count == limit ? rows.last?.name : nil))
    }
  }

  func dismiss(_ request: PlainRequest) async throws -> Dismissed {
    let (name, principal) = (request.parameter, request.principal)
    return try await work.write { db in
      guard let id = RowNumber(name, after: "ntc_")?.value, try AccountNoticeTable.remove(id, for: principal, db) else {
        throw Problem(
          404, "Unknown notice", "There is no notice \(name.jsonQuoted). /api/v1/notices lists the existing ones.")
      }
      return Dismissed(dismissed: name)
    }
  }
}
