internal import GodwitHTTP

/// Routes of visits, trips, statistics and places.
enum TimelineRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(methods: ["GET"], path: "/api/v1/visits", access: .reader, summary: "Lists visits") {
      try $0.timeline.visits($1)
    },
    Route(methods: ["GET"], path: "/api/v1/trips", access: .reader, summary: "Lists trips") {
      try $0.timeline.trips($1)
    },
    Route(methods: ["GET"], path: "/api/v1/statistics", access: .reader, summary: "Returns sums of days, months and years") {
      try $0.statistics.statistics($1)
    },
    Route(methods: ["GET"], path: "/api/v1/outliers", access: .reader, summary: "Lists outliers") {
      try $0.timeline.marks($1)
    },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/v1/outliers", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Flags or unflags a point as an outlier"
    ) { try $0.timeline.mark($1) },
    Route(methods: ["GET"], path: "/api/v1/places", access: .account, summary: "Lists named places and places of visits") {
      try $0.places.list($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/places", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Creates a named place"
    ) { try $0.places.add($1) },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/v1/places/ID", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Changes or removes a place"
    ) { try $0.places.change($1) },
    Route(
      methods: ["GET"], path: "/api/v1/devices/NAME/time-zone", access: .account,
      summary: "Returns the time zone that defines a device's days"
    ) {
      try $0.statistics.zone($1)
    },
    Route(
      methods: ["PUT"], path: "/api/v1/devices/NAME/time-zone", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Sets the time zone that defines a device's days"
    ) { try $0.statistics.zone($1) },
    Route(methods: ["GET"], path: "/timeline", access: .open, summary: "Page of the timeline") { .now($0.pages.file($1)) },
    Route(methods: ["GET"], path: "/statistics", access: .open, summary: "Page of statistics") { .now($0.pages.file($1)) },
  ]
}
