import Foundation

@testable import GodwitAPI
@testable import GodwitHTTP
@testable import GodwitServer

/// Adds the administrator token to requests of tests.
enum AdministratorHeader {
  /// Adds the administrator token if the headers have no credentials and the route is not a device route.
  /// - Parameter folder: the server's data folder.
  static func added(to headers: [String: String], _ method: String, _ path: String, folder: URL) -> [String: String] {
    guard headers["Authorization"] == nil, headers["Cookie"] == nil,
      isNeeded(method, path) || isNeeded(method, String(path.prefix { $0 != "?" })),
      let token = try? String(contentsOf: folder.appendingPathComponent("admin-token"), encoding: .utf8)
    else { return headers }
    return headers.merging(["Authorization": "Bearer \(token.trimmingCharacters(in: .whitespacesAndNewlines))"]) { $1 }
  }

  private static func isNeeded(_ method: String, _ path: String) -> Bool {
    let kinds: [Routes.Route.Access] = [
      .read, .account, .accountChange, .administrator, .administratorChange, .deviceOrAdministrator,
    ]
    return Routes.table.contains { route in
      let pattern = RoutePattern(route.path)
      return route.methods.contains(method == "HEAD" ? "GET" : method) && kinds.contains(route.access)
        && (pattern.isExact ? route.path == path : pattern.parameter(in: path) != nil)
    }
  }
}
