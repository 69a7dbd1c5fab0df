internal import GodwitHTTP
internal import GodwitRoutes

/// Routes for commands and settings of devices.
enum AppRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = settings + ownTracks

  private static let settings: [Route] = [
    Route(
      .get, path: "/api/v1/devices/NAME/settings", access: .read, id: "deviceSettings",
      summary: "Returns the desired and the reported settings of a device", returns: "The settings."
    ) { $0.settings.show },
    Route(
      .put, path: "/api/v1/devices/NAME/settings", access: .accountChange, id: "setDesiredSettings",
      summary: "Sets the desired settings of a device", returns: "The settings.", problems: [409],
      maximumBody: SettingsAPI.maximumBody
    ) { $0.settings.put },
    Route(
      .delete, path: "/api/v1/devices/NAME/settings", access: .accountChange, id: "cancelDesiredSettings",
      summary: "Withdraws pending settings", returns: "The settings."
    ) { $0.settings.withdraw },
    Route(
      .get, path: "/api/v1/devices/NAME/current", access: .read, id: "currentPosition",
      summary: "Returns the newest position and the current trip of a device", returns: "Position and trip."
    ) { $0.settings.now },
  ]

  private static let ownTracks: [Route] = [
    Route(
      .get, path: "/api/v1/devices/NAME/commands", access: .administrator, id: "commands",
      summary: "Lists the pending commands of an OwnTracks app", returns: "Commands, and what the app reported."
    ) { $0.ownTracksApps.commands },
    Route(
      .post, path: "/api/v1/devices/NAME/commands", access: .administratorChange, id: "addCommand",
      summary: "Queues a command for an OwnTracks app", returns: "The command.", problems: [409],
      maximumBody: OwnTracksAPI.maximumBody
    ) { $0.ownTracksApps.add },
    Route(
      .delete, path: "/api/v1/devices/NAME/commands", access: .administratorChange, id: "cancelCommands",
      summary: "Withdraws pending commands", returns: "How many."
    ) { $0.ownTracksApps.withdraw },
    Route(
      .get, path: "/api/v1/devices/NAME/owntracks-key", access: .administrator, id: "owntracksKey",
      summary: "Returns whether a device has an encryption key", returns: "Whether it has one, and whether it must use it."
    ) { $0.ownTracksApps.key },
    Route(
      .put, path: "/api/v1/devices/NAME/owntracks-key", access: .administratorChange, id: "setOwntracksKey",
      summary: "Sets the encryption key of an OwnTracks app, and whether it must use it",
      returns: "Whether it has one, and whether it must use it.", maximumBody: 4096
    ) { $0.ownTracksApps.setKey },
    Route(
      .delete, path: "/api/v1/devices/NAME/owntracks-key", access: .administratorChange, id: "deleteOwntracksKey",
      summary: "Deletes the encryption key of an OwnTracks app", returns: "Whether it has one.", maximumBody: 4096
    ) { $0.ownTracksApps.deleteKey },
    Route(
      .get, path: "/api/v1/devices/NAME/friends", access: .administrator, id: "deviceFriends",
      summary: "Lists the friends that receive a device's position", returns: "The friends."
    ) { $0.ownTracksApps.friends },
    Route(
      .put, path: "/api/v1/devices/NAME/friends", access: .administratorChange, id: "setDeviceFriends",
      summary: "Sets whether a device shares positions with OwnTracks apps", returns: "The friends.", maximumBody: 4096
    ) { $0.ownTracksApps.setFriends },
    Route(
      .delete, path: "/api/v1/devices/NAME/friends", access: .administratorChange, id: "deleteDeviceFriends",
      summary: "Ends the sharing of positions with OwnTracks apps", returns: "The friends.", maximumBody: 4096
    ) { $0.ownTracksApps.deleteFriends },
  ]
}
