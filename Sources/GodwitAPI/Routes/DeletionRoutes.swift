internal import GodwitHTTP
internal import GodwitRoutes

/// Routes that delete data permanently.
enum DeletionRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(
      methods: ["DELETE"], path: "/api/v1/devices/NAME", access: .accountChange, isAudited: false,
      summary: "Deletes a device with all its data"
    ) { try $0.deletion.device($1) }.confirmed(unlessDry: true),
    Route(
      methods: ["DELETE"], path: "/api/v1/devices/NAME/points", access: .accountChange, isAudited: false,
      summary: "Deletes points and events of a device by time and area"
    ) { try $0.deletion.points($1) }.confirmed(unlessDry: true),
    Route(
      methods: ["DELETE"], path: "/api/v1/imports/ID", access: .accountChange, isAudited: false,
      summary: "Deletes an import with the points and events that it brought"
    ) { try $0.deletion.importJob($1) }.confirmed(unlessDry: true),
    Route(
      methods: ["DELETE"], path: "/api/v1/users/NAME", access: .accountChange, isAudited: false,
      summary: "Deletes a user, with or without the data"
    ) { try $0.deletion.user($1) }.confirmed(unlessDry: true),
    Route(
      methods: ["POST"], path: "/api/v1/zones/ID/apply", access: .accountChange, maximumBody: JSONBody.limit, isAudited: false,
      summary: "Applies a private zone to the points that are stored already"
    ) { try $0.deletion.zone($1) }.confirmed(unlessDry: true),
  ]
}
