internal import GodwitHTTP

extension Routes {
  /// Files in and out.
  static let importRoutes: [Route] = [
    Route(methods: ["POST"], path: "/api/import", access: .accountChange, summary: "A file of records in, of any size") {
      try $0.imports.add($1)
    }.looking { handlers, request throws(Problem) in try handlers.imports.look(request) },
    Route(methods: ["GET"], path: "/api/imports", access: .account, summary: "Files that are imported, the newest first") {
      try $0.imports.list($1)
    },
    Route(methods: ["GET"], path: "/api/imports/ID", access: .account, summary: "How far an import is, and what came of it") {
      $0.imports.one($1)
    },
    Route(methods: ["DELETE"], path: "/api/imports/ID", access: .accountChange, summary: "Cancels an import, or forgets it") {
      $0.imports.remove($1)
    },
    Route(methods: ["GET"], path: "/api/export", access: .reader, isAudited: true, summary: "A device's records as a file") {
      try $0.exports.file($1)
    },
    Route(methods: ["GET"], path: "/import", access: .open, summary: "The page to bring files in and take them out") {
      .now($0.pages.file($1))
    },
  ]
}
