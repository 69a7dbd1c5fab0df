internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitWire

/// Routes of the upload protocols.
enum ProtocolRoutes {
  typealias Route = Routes.Route
  private typealias Types = ProtocolTypes

  static let all: [Route] = [overland, ownTracks, openLocate, osmAnd, phoneTrack, records].flatMap(\.self)

  // MARK: Batches

  private static let overland: [Route] = [
    batches(path: "/api/overland", access: .device, id: "overland", summary: "Receives Overland batches"),
    Route(
      .get, path: "/api/overland", access: .device, id: "overlandDevice", summary: "Returns the name of the token's device",
      returns: "The name."
    ) { _ in { (request: PlainRequest) in Types.OverlandDevice(name: request.http.device?.name ?? "") } },
    batches(
      path: "/api/v1/overland/batches", access: .app, id: "dawarichOverland",
      summary: "Receives Overland batches at Dawarich's address"),
  ]

  private static func batches(path: String, access: Route.Access, id: String, summary: String) -> Route {
    Route(
      .post, path: path, access: access, id: id, summary: summary, returns: stored, problems: [415],
      as: Operation<Types.OverlandParameters, RawBody<Types.OverlandBatch>, RawResult<Types.Saved>>.self
    ) { try $0.overland.respond($1) }
  }

  private static let ownTracks: [Route] = [
    messages(path: "/api/owntracks", access: .app, id: "owntracks", summary: "Receives OwnTracks messages"),
    messages(path: "/pub", access: .app, id: "owntracksPub", summary: "Receives OwnTracks messages at the recorder's address"),
    messages(
      path: "/api/v1/owntracks/points", access: .app, id: "dawarichOwntracks",
      summary: "Receives OwnTracks messages at Dawarich's address"),
  ]

  private static func messages(path: String, access: Route.Access, id: String, summary: String) -> Route {
    Route(
      .post, path: path, access: access, id: id, summary: summary,
      returns: "Messages for the app; one encrypted object if the device has a key.", problems: [415],
      as: Operation<Types.OwnTracksParameters, RawBody<Types.OwnTracksMessages>, RawResult<Types.AppMessages>>.self
    ) { try $0.ownTracks.respond($1) }
  }

  private static let openLocate: [Route] = [
    Route(
      .post, path: "/api/openlocate", access: .device, id: "openlocate", summary: "Receives OpenLocate batches", returns: stored,
      problems: [415], as: OpenLocateOperation.self
    ) { try $0.openLocate.respond($1) },
    Route(
      .post, path: "/v1/provider/ID/devicelocation", access: .device, id: "openlocateProvider",
      summary: "Receives OpenLocate batches at the address of old apps", returns: stored,
      parameter: "The provider's id, which has no effect.", problems: [415], as: OpenLocateOperation.self
    ) { try $0.openLocate.respond($1) },
  ]
  private typealias OpenLocateOperation = Operation<NoParameters, RawBody<Types.OpenLocateBatch>, RawResult<Types.Saved>>

  // MARK: Positions in addresses

  private static let osmAnd: [Route] = [
    positions(
      path: "/api/osmand", access: .named, ids: ("osmand", "osmandPost"),
      summary: "Receives positions of Traccar Client and OsmAnd"
    ) { $0.osmAnd },
    positions(
      path: "/api/osmand/TOKEN", access: .named, ids: ("osmandByToken", "osmandPostByToken"),
      summary: "Receives positions, with the token in the address"
    ) { $0.osmAnd },
    positions(
      path: "/api/gpslogger", access: .named, ids: ("gpslogger", "gpsloggerPost"),
      summary: "Receives positions of GPSLogger, speed in m/s"
    ) { $0.gpsLogger },
    positions(
      path: "/api/gpslogger/TOKEN", access: .named, ids: ("gpsloggerByToken", "gpsloggerPostByToken"),
      summary: "Receives positions, with the token in the address"
    ) { $0.gpsLogger },
    positions(
      path: "/api/v1/traccar/points", access: .named, ids: ("dawarichTraccar", "dawarichTraccarPost"),
      summary: "Receives positions of Traccar Client at Dawarich's address"
    ) { $0.osmAnd },
  ].flatMap(\.self)

  /// Returns two routes: one for positions in the query of the URL, and one for positions in a body.
  private static func positions(
    path: String, access: Route.Access, ids: (get: String, post: String), summary: String,
    _ receiver: @escaping @Sendable (RouteHandlers) -> OsmAndReceiver
  ) -> [Route] {
    let (returns, token) = ("Stored, or stored as rejected records; the response is empty.", "The device's token.")
    return [
      Route(
        .get, path: path, access: access, id: ids.get, summary: summary, returns: returns, parameter: token,
        as: Operation<Types.OsmAndParameters, NoBody, RawResult<Types.Nothing>>.self
      ) { try receiver($0).respond($1) },
      Route(
        .post, path: path, access: access, id: ids.post, summary: summary, returns: returns, parameter: token,
        as: Operation<Types.OsmAndParameters, RawBody<Types.Form>, RawResult<Types.Nothing>>.self
      ) { try receiver($0).respond($1) },
    ]
  }

  private static let phoneTrack: [Route] = [
    logged(
      path: "/log/PATH", access: .logged, id: "phonetrack",
      summary: "Receives positions at PhoneTrack's addresses: PROTOCOL/TOKEN/DEVICE"),
    logged(
      path: "/apps/phonetrack/PATH", access: .logged, id: "phoneTrackApp",
      summary: "Receives positions at PhoneTrack's addresses in Nextcloud"),
    logged(
      path: "/index.php/apps/phonetrack/PATH", access: .logged, id: "phoneTrackIndex",
      summary: "Receives positions at PhoneTrack's long addresses in Nextcloud"),
  ].flatMap(\.self)

  private static func logged(path: String, access: Route.Access, id: String, summary: String) -> [Route] {
    let returns = "What the app expects."
    let parameter =
      "PROTOCOL/TOKEN/DEVICE; one of the protocols get, gpslogger, locusmap, osmand, overland, owntracks, post, traccar, ulogger."
    return [
      Route(
        .get, path: path, access: access, id: id, summary: summary, returns: returns, parameter: parameter, problems: [415, 422],
        as: Operation<NoParameters, NoBody, RawResult<Types.AppReply>>.self
      ) { try $0.phoneTrack.respond($1) },
      Route(
        .post, path: path, access: access, id: id + "Post", summary: summary, returns: returns, parameter: parameter,
        problems: [415], as: Operation<NoParameters, RawBody<Types.Form>, RawResult<Types.AppReply>>.self
      ) { try $0.phoneTrack.respond($1) },
    ]
  }

  // MARK: Protocols of the table

  private static let records: [Route] = RecordProtocol.all.map { sender in
    Route(
      .post, path: sender.path, access: .app, id: sender.format.rawValue, summary: "Receives records of \(sender.title)",
      returns: "Stored. Parts that are not valid records are stored as rejected records.", problems: [415],
      as: Operation<NoParameters, NoBody, RawResult<Types.Empty>>.self
    ) { try $0.records.respond($1, sender) }
    .accepting([
      sender.body.contentType: ["schema": sender.body.schema, "example": sender.body.example]
    ])
  }

  private static let stored = "Stored."
}
