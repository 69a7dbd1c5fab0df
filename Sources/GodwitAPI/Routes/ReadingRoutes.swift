internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of devices and their points.
enum ReadingRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(
      .get, path: "/api/v1/devices", access: .read, id: "devices", summary: "Lists devices with their newest points",
      returns: "Devices."
    ) { $0.reading.devices },
    Route(
      .get, path: "/api/v1/points", access: .read, id: "points", summary: "Lists points as GeoJSON",
      returns: "Points, by device and time.",
      as: Operation<ReadingAPI.PointParameters, NoBody, RawResult<ReadingAPI.PointPage>>.self
    ) { try $0.reading.points($1) },
    Route(
      .get, path: "/api/v1/tracks", access: .read, id: "tracks", summary: "Returns tracks as GeoJSON lines",
      returns: "One line for each part without a gap.",
      as: Operation<ReadingAPI.TrackParameters, NoBody, RawResult<ReadingAPI.TrackPage>>.self
    ) { try $0.reading.track($1) },
    Route(
      .get, path: "/api/v1/overview", access: .read, id: "overview",
      summary: "Returns simplified tracks for a map, as GeoJSON lines", returns: "One feature for each device.",
      as: Operation<OverviewAPI.Parameters, NoBody, RawResult<OverviewLines>>.self
    ) { try $0.overview.view($1) },
    Route(
      .get, path: "/api/v1/journals", access: .read, id: "journals",
      summary: "Lists the journals of devices and the missing record numbers", returns: "Journals."
    ) { $0.reading.journals },
    Route(
      .get, path: "/api/v1/events", access: .read, id: "events", summary: "Streams new points as server-sent events",
      returns: "Events until the client closes the connection: points, moved, regions, region, resync.",
      as: Operation<ReadingAPI.DeviceParameters, NoBody, RawResult<ReadingAPI.EventStream>>.self
    ) { try $0.reading.events($1) },
  ]
}
