internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitRoutes
internal import GodwitWire

/// Routes of the upload protocols except Overland and OwnTracks.
enum ProtocolRoutes {
  typealias Route = Routes.Route

  static let all: [Route] =
    ownReceivers
    + RecordProtocol.all.map { sender in
      Route(methods: ["POST"], path: sender.path, access: .app, summary: "Receives records of \(sender.title)") {
        try $0.records.respond($1, sender)
      }
    }

  private static let ownReceivers: [Route] = [
    Route(
      methods: ["GET", "POST"], path: "/api/osmand", access: .named, summary: "Receives positions of Traccar Client and OsmAnd"
    ) {
      try $0.osmAnd.respond($1)
    },
    Route(
      methods: ["GET", "POST"], path: "/api/osmand/TOKEN", access: .named,
      summary: "Receives positions, with the token in the address"
    ) {
      try $0.osmAnd.respond($1)
    },
    Route(
      methods: ["GET", "POST"], path: "/api/gpslogger", access: .named, summary: "Receives positions of GPSLogger, speed in m/s"
    ) {
      try $0.gpsLogger.respond($1)
    },
    Route(
      methods: ["GET", "POST"], path: "/api/gpslogger/TOKEN", access: .named,
      summary: "Receives positions, with the token in the address"
    ) { try $0.gpsLogger.respond($1) },
    Route(
      methods: ["GET", "POST"], path: "/log/PATH", access: .logged,
      summary: "Receives positions at PhoneTrack's addresses: PROTOCOL/TOKEN/DEVICE"
    ) {
      try $0.phoneTrack.respond($1)
    },
    Route(
      methods: ["GET", "POST"], path: "/apps/phonetrack/PATH", access: .logged,
      summary: "Receives positions at PhoneTrack's addresses in Nextcloud"
    ) { try $0.phoneTrack.respond($1) },
    Route(
      methods: ["GET", "POST"], path: "/index.php/apps/phonetrack/PATH", access: .logged,
      summary: "Receives positions at PhoneTrack's long addresses in Nextcloud"
    ) { try $0.phoneTrack.respond($1) },
    Route(
      methods: ["POST"], path: "/api/v1/overland/batches", access: .app,
      summary: "Receives Overland batches at Dawarich's address"
    ) { try $0.overland.respond($1) },
    Route(
      methods: ["POST"], path: "/api/v1/owntracks/points", access: .app,
      summary: "Receives OwnTracks messages at Dawarich's address"
    ) { try $0.ownTracks.respond($1) },
    Route(
      methods: ["GET", "POST"], path: "/api/v1/traccar/points", access: .named,
      summary: "Receives positions of Traccar Client at Dawarich's address"
    ) { try $0.osmAnd.respond($1) },
    Route(methods: ["POST"], path: "/api/openlocate", access: .device, summary: "Receives OpenLocate batches") {
      try $0.openLocate.respond($1)
    },
    Route(
      methods: ["POST"], path: "/v1/provider/ID/devicelocation", access: .device,
      summary: "Receives OpenLocate batches at the address of old apps"
    ) { try $0.openLocate.respond($1) },
  ]
}
