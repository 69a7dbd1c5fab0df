internal import GodwitHTTP
internal import GodwitRoutes

/// Routes that delete data permanently.
enum DeletionRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(
      .delete, path: "/api/v1/devices/NAME", access: .accountChange, id: "deleteDevice",
      summary: "Deletes a device with all its data", returns: counts, isAudited: false
    ) { $0.deletion.device }.confirmed(unlessDry: true),
    Route(
      .delete, path: "/api/v1/devices/NAME/points", access: .accountChange, id: "deletePoints",
      summary: "Deletes points and events of a device by time and area", returns: counts, isAudited: false
    ) { $0.deletion.points }.confirmed(unlessDry: true),
    Route(
      .delete, path: "/api/v1/imports/ID", access: .accountChange, id: "deleteImport",
      summary: "Deletes an import with its points and events", returns: counts, problems: [409], isAudited: false
    ) { $0.deletion.importJob }.confirmed(unlessDry: true),
    Route(
      .delete, path: "/api/v1/users/NAME", access: .accountChange, id: "deleteUser",
      summary: "Deletes a user, with or without the data", returns: counts, parameter: "The user's name.", problems: [409],
      isAudited: false
    ) { $0.deletion.user }.confirmed(unlessDry: true),
    Route(
      .post, path: "/api/v1/zones/ID/apply", access: .accountChange, id: "applyZone",
      summary: "Applies a private zone to stored points", returns: counts, maximumBody: JSONBody.limit,
      isAudited: false
    ) { $0.deletion.zone }.confirmed(unlessDry: true),
  ]

  private static let counts = "Numbers of records that were deleted, or would be."
}
