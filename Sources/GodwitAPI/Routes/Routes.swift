internal import GodwitAccountAPI
internal import GodwitHistoryAPI
internal import GodwitRoutes

/// All routes of the server in one table; tests check the documentation and the metrics against it.
struct Routes: Sendable {
  typealias Route = APIRoute<RouteHandlers>

  static let table: [Route] = features.flatMap(\.self)

  private static let features: [[Route]] = [
    tagged("regions", RegionRoutes.all),
    tagged("reading", ReadingRoutes.all),
    tagged("webhooks", WebhookRoutes.all),
    AccountRoutes.all.map { $0.of(accounts) },
    tagged("protocols", ProtocolRoutes.all),
    tagged("settings", AppRoutes.all),
    tagged("health", HealthRoutes.all),
    tagged("mqtt", MQTTRoutes.all),
    tagged("import", ImportRoutes.all),
    tagged("mirror", MirrorRoutes.all),
    tagged("history", TimelineRoutes.all.map { $0.of(history) }),
    tagged("photos", PhotoRoutes.all),
    tagged("deletion", DeletionRoutes.all),
    tagged("meta", APIRoutes.all),
    tagged("pages", PageRoutes.all),
    tagged("pages", BasemapRoutes.all),
  ]

  private static func tagged(_ tag: String, _ routes: [Route]) -> [Route] { routes.map { $0.tagged(tag) } }

  private static let accounts: @Sendable (RouteHandlers) -> AccountHandlers = { $0.accounts }
  private static let history: @Sendable (RouteHandlers) -> HistoryHandlers = { $0.history }
}
