internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitWire

/// Where other clients than Overland and OwnTracks send.
enum ProtocolRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(methods: ["GET", "POST"], path: "/api/osmand", access: .named, summary: "Traccar Client's and OsmAnd's places in") {
      try $0.osmAnd.respond($1)
    },
    Route(
      methods: ["GET", "POST"], path: "/api/osmand/TOKEN", access: .named, summary: "The same, with the token in the address"
    ) {
      try $0.osmAnd.respond($1)
    },
    Route(methods: ["GET", "POST"], path: "/api/gpslogger", access: .named, summary: "GPSLogger's places in, speed in m/s") {
      try $0.gpsLogger.respond($1)
    },
    Route(
      methods: ["GET", "POST"], path: "/api/gpslogger/TOKEN", access: .named, summary: "The same, with the token in the address"
    ) { try $0.gpsLogger.respond($1) },
    Route(methods: ["GET", "POST"], path: "/log/PATH", access: .logged, summary: "PhoneTrack's addresses: PROTOCOL/TOKEN/DEVICE")
    {
      try $0.phoneTrack.respond($1)
    },
    Route(
      methods: ["GET", "POST"], path: "/apps/phonetrack/PATH", access: .logged, summary: "PhoneTrack's addresses in Nextcloud"
    ) { try $0.phoneTrack.respond($1) },
    Route(
      methods: ["GET", "POST"], path: "/index.php/apps/phonetrack/PATH", access: .logged,
      summary: "PhoneTrack's addresses in Nextcloud without short addresses"
    ) { try $0.phoneTrack.respond($1) },
    Route(
      methods: ["POST"], path: "/api/v1/overland/batches", access: .app, summary: "Overland batches in, where Dawarich has it"
    ) { try $0.overland.respond($1) },
    Route(
      methods: ["POST"], path: "/api/v1/owntracks/points", access: .app, summary: "OwnTracks' messages in, where Dawarich has it"
    ) { try $0.ownTracks.respond($1) },
    Route(
      methods: ["GET", "POST"], path: "/api/v1/traccar/points", access: .named,
      summary: "Traccar Client's places in, where Dawarich has it"
    ) { try $0.osmAnd.respond($1) },
    Route(methods: ["POST"], path: "/api/openlocate", access: .device, summary: "OpenLocate batches in") {
      try $0.openLocate.respond($1)
    },
    Route(
      methods: ["POST"], path: "/v1/provider/ID/devicelocation", access: .device,
      summary: "The same, where old apps have it: only the host is another one"
    ) { try $0.openLocate.respond($1) },
  ]
}
