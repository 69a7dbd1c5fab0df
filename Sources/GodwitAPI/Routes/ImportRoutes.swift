internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of imports and exports.
enum ImportRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(
      .post, path: "/api/v1/imports", access: .accountChange, id: "importFile", summary: "Imports a file of records",
      returns: "The import, which waits.", problems: [507]
    ) { $0.imports.add }.looking { handlers, request throws(Problem) in try handlers.imports.check(request) },
    Route(
      .get, path: "/api/v1/imports", access: .account, id: "listImports", summary: "Lists imports, newest first",
      returns: "A page of imports."
    ) { $0.imports.list },
    Route(
      .get, path: "/api/v1/imports/ID", access: .account, id: "getImport",
      summary: "Returns the progress and the report of an import", returns: "The import."
    ) { $0.imports.one },
    Route(
      .post, path: "/api/v1/imports/ID/dismiss", access: .accountChange, id: "dismissImport",
      summary: "Cancels an import, or removes a finished one from the list", returns: "The id, and what was done.",
      maximumBody: JSONBody.limit
    ) { $0.imports.dismiss },
    Route(
      .get, path: "/api/v1/export", access: .read, id: "exportFile", summary: "Exports the records of a device as a file",
      returns: "The file.", isAudited: true, as: Operation<ExportAPI.Parameters, NoBody, RawResult<ExportedFile>>.self
    ) { try $0.exports.file($1) },
    Route(
      .get, path: "/api/v1/export/all", access: .account, id: "exportAccount",
      summary: "Exports everything that the server has of a user",
      returns: "A zip archive: records of devices as GeoJSON, and tables of everything else as JSON, without secrets.",
      isAudited: true,
      as: Operation<NoParameters, NoBody, RawResult<AccountArchive>>.self
    ) { try $0.exports.account($1) },
    PageRoutes.page("/import", id: "importPage", "Page of imports and exports"),
  ]
}
