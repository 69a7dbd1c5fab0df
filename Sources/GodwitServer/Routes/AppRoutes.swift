internal import GodwitHTTP

/// What the owner says to the apps on devices.
enum AppRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(methods: ["GET"], path: "/api/v1/devices/NAME/settings", access: .reader, summary: "Settings that a device is to take")
    {
      $0.settings.show($1)
    },
    Route(
      methods: ["PUT"], path: "/api/v1/devices/NAME/settings", access: .accountChange, maximumBody: SettingsAPI.maximumBody,
      summary: "Orders settings, which the device's next answers have until it takes them"
    ) { try $0.settings.put($1) },
    Route(
      methods: ["DELETE"], path: "/api/v1/devices/NAME/settings", access: .accountChange, summary: "Takes back what was ordered"
    ) { $0.settings.withdraw($1) },
    Route(
      methods: ["GET"], path: "/api/v1/devices/NAME/current", access: .reader,
      summary: "Newest place and trip, as the device says"
    ) {
      $0.settings.now($1)
    },
    Route(methods: ["GET"], path: "/api/v1/devices/NAME/commands", access: .owner, summary: "What an OwnTracks app is told to do")
    {
      $0.ownTracksApps.commands($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/devices/NAME/commands", access: .ownerChange, maximumBody: OwnTracksAPI.maximumBody,
      summary: "Tells an OwnTracks app to do something, once"
    ) { try $0.ownTracksApps.add($1) },
    Route(methods: ["DELETE"], path: "/api/v1/devices/NAME/commands", access: .ownerChange, summary: "Takes back what waits") {
      $0.ownTracksApps.withdraw($1)
    },
    Route(methods: ["GET"], path: "/api/v1/devices/NAME/owntracks-key", access: .owner, summary: "Whether there is a key") {
      $0.ownTracksApps.key($1)
    },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/v1/devices/NAME/owntracks-key", access: .ownerChange, maximumBody: 4096,
      summary: "The key of an OwnTracks app's messages"
    ) { try $0.ownTracksApps.setKey($1) },
    Route(methods: ["GET"], path: "/api/v1/devices/NAME/friends", access: .owner, summary: "Who is told where a device is") {
      $0.ownTracksApps.friends($1)
    },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/v1/devices/NAME/friends", access: .ownerChange, maximumBody: 4096,
      summary: "Whether OwnTracks apps are told where a device is, and it where they are"
    ) { try $0.ownTracksApps.setFriends($1) },
  ]
}
