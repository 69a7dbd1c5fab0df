internal import GodwitHTTP
internal import GodwitRoutes

/// Routes for commands and settings of devices.
enum AppRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(
      methods: ["GET"], path: "/api/v1/devices/NAME/settings", access: .reader,
      summary: "Returns the desired and the reported settings of a device"
    ) {
      $0.settings.show($1)
    },
    Route(
      methods: ["PUT"], path: "/api/v1/devices/NAME/settings", access: .accountChange, maximumBody: SettingsAPI.maximumBody,
      summary: "Sets the desired settings of a device"
    ) { try $0.settings.put($1) },
    Route(
      methods: ["DELETE"], path: "/api/v1/devices/NAME/settings", access: .accountChange, summary: "Withdraws pending settings"
    ) { $0.settings.withdraw($1) },
    Route(
      methods: ["GET"], path: "/api/v1/devices/NAME/current", access: .reader,
      summary: "Returns the newest position and the current trip of a device"
    ) {
      $0.settings.now($1)
    },
    Route(
      methods: ["GET"], path: "/api/v1/devices/NAME/commands", access: .owner,
      summary: "Lists the pending commands of an OwnTracks app"
    ) {
      $0.ownTracksApps.commands($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/devices/NAME/commands", access: .ownerChange, maximumBody: OwnTracksAPI.maximumBody,
      summary: "Queues a command for an OwnTracks app"
    ) { try $0.ownTracksApps.add($1) },
    Route(methods: ["DELETE"], path: "/api/v1/devices/NAME/commands", access: .ownerChange, summary: "Withdraws pending commands")
    {
      $0.ownTracksApps.withdraw($1)
    },
    Route(
      methods: ["GET"], path: "/api/v1/devices/NAME/owntracks-key", access: .owner,
      summary: "Tells whether a device has an encryption key"
    ) {
      $0.ownTracksApps.key($1)
    },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/v1/devices/NAME/owntracks-key", access: .ownerChange, maximumBody: 4096,
      summary: "Sets or deletes the encryption key of an OwnTracks app"
    ) { try $0.ownTracksApps.setKey($1) },
    Route(
      methods: ["GET"], path: "/api/v1/devices/NAME/friends", access: .owner,
      summary: "Lists the friends that receive a device's position"
    ) {
      $0.ownTracksApps.friends($1)
    },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/v1/devices/NAME/friends", access: .ownerChange, maximumBody: 4096,
      summary: "Sets whether a device shares positions with OwnTracks apps"
    ) { try $0.ownTracksApps.setFriends($1) },
  ]
}
