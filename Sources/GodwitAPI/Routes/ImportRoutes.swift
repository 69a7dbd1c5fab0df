internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of imports and exports.
enum ImportRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(methods: ["POST"], path: "/api/v1/imports", access: .accountChange, summary: "Imports a file of records") {
      try $0.imports.add($1)
    }.looking { handlers, request throws(Problem) in try handlers.imports.look(request) },
    Route(methods: ["GET"], path: "/api/v1/imports", access: .account, summary: "Lists imports, newest first") {
      try $0.imports.list($1)
    },
    Route(
      methods: ["GET"], path: "/api/v1/imports/ID", access: .account, summary: "Returns the progress and the report of an import"
    ) {
      $0.imports.one($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/imports/ID/dismiss", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Cancels an import, or removes a finished one from the list"
    ) { $0.imports.dismiss($1) },
    Route(
      methods: ["GET"], path: "/api/v1/export", access: .reader, isAudited: true,
      summary: "Exports the records of a device as a file"
    ) {
      try $0.exports.file($1)
    },
    Route(methods: ["GET"], path: "/import", access: .open, summary: "Page of imports and exports") {
      .now($0.pages.file($1))
    },
  ]
}
