internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of notices.
enum NoticeRoutes {
  typealias Route = APIRoute<AccountHandlers>

  static let all: [Route] = [
    Route(
      methods: ["GET"], path: "/api/v1/notices", access: .account, summary: "Lists notices about the account"
    ) { try $0.notices.list($1) },
    Route(methods: ["DELETE"], path: "/api/v1/notices/ID", access: .accountChange, summary: "Dismisses a notice") {
      $0.notices.dismiss($1)
    },
  ]
}
