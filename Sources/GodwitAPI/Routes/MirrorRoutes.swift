internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of mirrors. A mirror is a server that gets a copy of the records of another server.
enum MirrorRoutes {
  typealias Route = Routes.Route

  /// Maximum size of a page of records in bytes.
  private static let maximumBody = 256 << 20

  static let all: [Route] = [
    Route(
      .get, path: "/api/v1/mirror", access: .administrator, id: "mirror", summary: "Returns the state of this server's mirror",
      returns: "The state."
    ) { $0.mirror.state },
    Route(
      .post, path: "/api/v1/mirror/records", access: .accountChange, id: "storeMirroredRecords",
      summary: "Stores records of a device of another server",
      details:
        "The other server is started with `--mirror`. The device is found by `source` and `number`, gets the name, and is created if it does not exist.",
      returns: "Stored. Records that exist already are duplicates.", problems: [409], maximumBody: maximumBody, isAudited: false
    ) { $0.mirror.store }.unlimited.confirmed(),
    Route(
      .get, path: "/api/v1/mirror/records", access: .account, id: "mirroredRecords",
      summary: "Returns records of a device by time, to repair another store", returns: "A page of records."
    ) { $0.mirror.records }.unlimited,
    Route(
      .delete, path: "/api/v1/mirror/devices", access: .accountChange, id: "deleteMirroredDevice",
      summary: "Deletes the copy of a device that another server has deleted", returns: "The deleted device.", isAudited: false
    ) { $0.mirror.delete }.confirmed(),
  ]
}
