internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of share links and friends.
enum SharingRoutes {
  typealias Route = APIRoute<AccountHandlers>

  static let all: [Route] =
    links + friends.map { $0.looking { handlers, request throws(Problem) in try handlers.friends.user(request) } }

  private static let links: [Route] = [
    Route(
      .get, path: "/api/v1/links", access: .account, id: "links", summary: "Lists share links", returns: "The links."
    ) { $0.links.list },
    Route(
      .post, path: "/api/v1/links", access: .accountChange, id: "addLink", summary: "Creates a share link",
      returns: "The link with its secret.", problems: [404]
    ) { $0.links.add }.confirmed(),
    Route(
      .delete, path: "/api/v1/links/ID", access: .accountChange, id: "revokeLink", summary: "Revokes a link", returns: "The id."
    ) { $0.links.revoke },
    Route(
      .get, path: "/api/v1/shared/TOKEN", access: .open, id: "shared", summary: "Returns the positions that a link shows",
      returns: "What the link shows.", parameter: "The link's secret.", problems: [401, 410]
    ) { $0.links.shared },
    Route(
      .post, path: "/api/v1/shared/TOKEN", access: .open, id: "openLink", summary: "Checks the password of a link",
      returns: "The proof of the password.", parameter: "The link's secret.", problems: [403, 410]
    ) { $0.links.open }.looking { handlers, request throws(Problem) in try handlers.links.checkOrigin(request) },
  ]

  private static let friends: [Route] = [
    Route(
      .get, path: "/api/v1/friends", access: .account, id: "friends",
      summary: "Lists friendships and the positions of friends", returns: "Friendships and positions."
    ) { $0.friends.list },
    Route(
      .post, path: "/api/v1/friends", access: .accountChange, id: "requestFriend", summary: "Requests or accepts a friendship",
      returns: "The friendship.", problems: [404]
    ) { $0.friends.ask },
    Route(
      .delete, path: "/api/v1/friends/ID", access: .accountChange, id: "endFriend", summary: "Ends a friendship",
      returns: "The id."
    ) { $0.friends.end },
    Route(
      .get, path: "/api/v1/profile", access: .account, id: "profile", summary: "Returns the profile that friends see",
      returns: "The profile."
    ) { $0.friends.profile },
    Route(
      .put, path: "/api/v1/profile", access: .accountChange, id: "setProfile", summary: "Changes the profile that friends see",
      returns: "The profile."
    ) { $0.friends.setProfile },
  ]
}
