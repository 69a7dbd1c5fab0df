internal import GodwitHTTP

/// What happened: visits, trips, what days add up to, and the names of places.
enum TimelineRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(methods: ["GET"], path: "/api/v1/visits", access: .reader, summary: "Where devices stayed, in pages") {
      try $0.timeline.visits($1)
    },
    Route(methods: ["GET"], path: "/api/v1/trips", access: .reader, summary: "How they went, in pages") {
      try $0.timeline.trips($1)
    },
    Route(methods: ["GET"], path: "/api/v1/statistics", access: .reader, summary: "What days, months and years add up to") {
      try $0.statistics.statistics($1)
    },
    Route(methods: ["GET"], path: "/api/v1/outliers", access: .reader, summary: "Points that cannot be, in pages") {
      try $0.timeline.marks($1)
    },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/v1/outliers", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Says that a point cannot be, or that it can"
    ) { try $0.timeline.mark($1) },
    Route(methods: ["GET"], path: "/api/v1/places", access: .account, summary: "Places with names, and those that visits show") {
      try $0.places.list($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/places", access: .accountChange, maximumBody: JSONBody.limit, summary: "Names a place"
    ) { try $0.places.add($1) },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/v1/places/ID", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Changes or removes a place"
    ) { try $0.places.change($1) },
    Route(
      methods: ["GET"], path: "/api/v1/devices/NAME/time-zone", access: .account, summary: "Of which clock a device's days are"
    ) {
      try $0.statistics.zone($1)
    },
    Route(
      methods: ["PUT"], path: "/api/v1/devices/NAME/time-zone", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Says of which clock a device's days are"
    ) { try $0.statistics.zone($1) },
    Route(methods: ["GET"], path: "/timeline", access: .open, summary: "The page of days") { .now($0.pages.file($1)) },
    Route(methods: ["GET"], path: "/statistics", access: .open, summary: "The page of years") { .now($0.pages.file($1)) },
  ]
}
