internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of pages.
enum PageRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(
      .get, path: "/", access: .open, id: "mapPage", summary: "Page with the map", returns: "A page.",
      as: Operation<MapPageParameters, NoBody, RawResult<HTMLPage>>.self
    ) { try $0.pages.page($1) }.answering(303, "The token of the address is now in a cookie."),
    page("/regions", id: "regionsPage", "Page of regions"),
    Route(
      .get, path: "/s/TOKEN", access: .open, id: "linkPage", summary: "Page of a link",
      returns: "The page, identical for all links.", parameter: "The link's secret.", as: PageOperation.self
    ) { $0.pages.shared($1) },
    page("/login", id: "loginPage", "Page that a login link opens"),
    page("/sign-in", id: "signInPage", "Page to sign in"),
    page("/sign-in/openid", id: "openIDPage", "Page to which an OpenID provider sends the browser"),
    page("/account", id: "accountPage", "Page of accounts"),
    page("/timeline", id: "timelinePage", "Page of the timeline"),
    page("/places", id: "placesPage", "Page of places"),
    page("/statistics", id: "statisticsPage", "Page of statistics"),
    page("/review", id: "reviewPage", "Page of the year in review"),
    page("/settings", id: "settingsPage", "Page of a user's settings"),
    page("/welcome", id: "welcomePage", "Page of the first steps"),
    page("/trash", id: "trashPage", "Page of deletions that can be undone"),
    page("/devices", id: "devicesPage", "Page of devices"),
    page("/integrations", id: "integrationsPage", "Page of webhooks, the MQTT broker and the mirror"),
  ]

  /// Returns the route of a page that is a file.
  static func page(_ path: String, id: String, _ summary: String) -> Route {
    Route(
      .get, path: path, access: .open, id: id, summary: summary, returns: "A page.", as: PageOperation.self
    ) { .now($0.pages.file($1)) }
  }
}
