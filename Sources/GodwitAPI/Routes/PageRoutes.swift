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
    Route(
      .get, path: "/regions", access: .open, id: "regionsPage", summary: "Page of regions", returns: "A page.",
      as: PageOperation.self
    ) { .now($0.pages.file($1)) },
    Route(
      .get, path: "/s/TOKEN", access: .open, id: "linkPage", summary: "Page of a link",
      returns: "The page, identical for all links.", parameter: "The link's secret.", as: PageOperation.self
    ) { handlers, _ in handlers.pages.shared() },
    Route(
      .get, path: "/login", access: .open, id: "loginPage", summary: "Page that a login link opens", returns: "A page.",
      as: PageOperation.self
    ) { .now($0.pages.file($1)) },
    Route(
      .get, path: "/sign-in", access: .open, id: "signInPage", summary: "Page to sign in", returns: "A page.",
      as: PageOperation.self
    ) { .now($0.pages.file($1)) },
    Route(
      .get, path: "/sign-in/openid", access: .open, id: "openIDPage",
      summary: "Page to which an OpenID provider sends the browser",
      returns: "A page.", as: PageOperation.self
    ) { .now($0.pages.file($1)) },
    Route(
      .get, path: "/account", access: .open, id: "accountPage", summary: "Page of accounts", returns: "A page.",
      as: PageOperation.self
    ) { .now($0.pages.file($1)) },
    Route(
      .get, path: "/timeline", access: .open, id: "timelinePage", summary: "Page of the timeline", returns: "A page.",
      as: PageOperation.self
    ) { .now($0.pages.file($1)) },
    Route(
      .get, path: "/statistics", access: .open, id: "statisticsPage", summary: "Page of statistics", returns: "A page.",
      as: PageOperation.self
    ) { .now($0.pages.file($1)) },
    Route(
      .get, path: "/devices", access: .open, id: "devicesPage", summary: "Page of devices", returns: "A page.",
      as: PageOperation.self
    ) { .now($0.pages.file($1)) },
  ]
}
