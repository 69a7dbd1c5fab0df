internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of the preferences of a user.
enum PreferenceRoutes {
  typealias Route = APIRoute<AccountHandlers>

  static let all: [Route] = [
    Route(
      .get, path: "/api/v1/preferences", access: .account, id: "preferences",
      summary: "Returns how the pages show values to the user", returns: "The preferences."
    ) { $0.preferences.show },
    Route(
      .put, path: "/api/v1/preferences", access: .accountChange, id: "setPreferences",
      summary: "Sets how the pages show values to the user", returns: "The preferences."
    ) { $0.preferences.set },
  ]
}
