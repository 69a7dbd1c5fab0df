internal import GodwitAccountAPI
internal import GodwitHistoryAPI
internal import GodwitRoutes

/// All routes of the server in one table; tests check the documentation and the metrics against it.
struct Routes: Sendable {
  typealias Route = APIRoute<RouteHandlers>

  static let table: [Route] = [
    RegionRoutes.all.map { $0.tagged("regions") },
    ReadingRoutes.all.map { $0.tagged("reading") },
    WebhookRoutes.all.map { $0.tagged("webhooks") },
    AccountRoutes.all.map { $0.of(accounts) },
    ProtocolRoutes.all.map { $0.tagged("protocols") },
    AppRoutes.all.map { $0.tagged("orders") },
    HealthRoutes.all.map { $0.tagged("health") },
    MQTTRoutes.all.map { $0.tagged("mqtt") },
    ImportRoutes.all.map { $0.tagged("import") },
    TimelineRoutes.all.map { $0.of(history).tagged("derived") },
    DeletionRoutes.all.map { $0.tagged("deletion") },
    APIRoutes.all.map { $0.tagged("meta") },
    PageRoutes.all.map { $0.tagged("pages") },
  ].flatMap(\.self)

  private static let accounts: @Sendable (RouteHandlers) -> AccountHandlers = { $0.accounts }
  private static let history: @Sendable (RouteHandlers) -> HistoryHandlers = { $0.history }
}
