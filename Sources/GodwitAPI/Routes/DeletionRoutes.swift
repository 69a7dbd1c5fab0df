internal import GodwitHTTP
internal import GodwitRoutes

/// Routes that delete data, and those of the trash.
enum DeletionRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = deletions + devices + trash

  private static let deletions: [Route] = [
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
      summary: "Applies a private zone to stored points", returns: counts, problems: [422], maximumBody: JSONBody.limit,
      isAudited: false
    ) { $0.deletion.zone }.confirmed(unlessDry: true),
  ]

  private static let devices: [Route] = [
    Route(
      .put, path: "/api/v1/devices/NAME/name", access: .accountChange, id: "renameDevice", summary: "Renames a device",
      details:
        "Tokens, settings, share links, rules, regions and events of the device follow. Apps keep their tokens; the name that an app sends makes no difference.",
      returns: "The new name.", problems: [409]
    ) { $0.deviceChanges.rename },
    Route(
      .put, path: "/api/v1/devices/NAME/look", access: .accountChange, id: "setLook",
      summary: "Sets the color and the icon of a device", returns: "The color and the icon."
    ) { $0.deviceChanges.setAppearance },
    Route(
      .post, path: "/api/v1/devices/NAME/merge", access: .accountChange, id: "mergeDevice",
      summary: "Merges a device into another one",
      details:
        "The other device gets points, events and journals; tokens to send work on and send to it. Settings, rules and share links of the merged device end. It can be undone for a week.",
      returns: counts, problems: [404, 409], isAudited: false
    ) { $0.deviceChanges.merge },
  ]

  private static let trash: [Route] = [
    Route(
      .get, path: "/api/v1/trash", access: .account, id: "trash", summary: "Lists deletions that can be undone",
      details: "A deletion can be undone for a week. Then it is deleted for good, and its space in the database is overwritten.",
      returns: "Entries, the newest first."
    ) { $0.trash.list },
    Route(
      .delete, path: "/api/v1/trash", access: .accountChange, id: "emptyTrash",
      summary: "Deletes everything in the trash for good", returns: "Numbers of records.", isAudited: false
    ) { $0.trash.empty }.confirmed(),
    Route(
      .delete, path: "/api/v1/trash/ID", access: .accountChange, id: "deleteForGood",
      summary: "Deletes an entry of the trash for good", returns: "Numbers of records.",
      parameter: "The entry's id, such as `trs_1`.", problems: [409], isAudited: false
    ) { $0.trash.remove }.confirmed(),
    Route(
      .post, path: "/api/v1/trash/ID/undo", access: .accountChange, id: "undoDeletion", summary: "Undoes a deletion",
      details: "Restores all that was deleted. A record that the device sends again is stored again from then on.",
      returns: "Numbers of records.", parameter: "The entry's id, such as `trs_1`.", problems: [409], isAudited: false
    ) { $0.trash.undo },
  ]

  private static let counts = "Numbers of records that were deleted, or would be."
}
