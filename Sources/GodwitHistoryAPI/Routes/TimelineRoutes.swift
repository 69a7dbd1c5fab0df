internal import GodwitHTTP
package import GodwitRoutes

/// Routes of visits, trips, statistics, places and tiles.
package enum TimelineRoutes {
  package typealias Route = APIRoute<HistoryHandlers>

  package static let all: [Route] = [
    Route(
      .get, path: "/api/v1/visits", access: .read, id: "visits", summary: "Lists visits",
      returns: "Visits, by device and arrival."
    ) { $0.timeline.visits },
    Route(
      .get, path: "/api/v1/trips", access: .read, id: "trips", summary: "Lists trips", returns: "Trips, by device and start."
    ) { $0.timeline.trips },
    Route(
      .get, path: "/api/v1/trips/roads", access: .read, id: "tripRoads",
      summary: "Returns the lines of trips along roads, as GeoJSON",
      details: """
        Parts of trips on roads are lines of the server's file of roads; other parts are lines from position to position. Empty if the \
        server has no roads, and for devices of other users. Show `© OpenStreetMap contributors` with the lines.
        """,
      returns: "One line for each part of a trip on roads or off them.", problems: [404],
      as: Operation<TripRoadAPI.Parameters, NoBody, RawResult<TripRoadAPI.LinePage>>.self
    ) { try $0.roads.lines($1) },
    Route(
      .get, path: "/api/v1/statistics", access: .read, id: "statistics", summary: "Returns sums of days, months and years",
      returns: "Sums."
    ) { $0.statistics.statistics },
    Route(
      .get, path: "/api/v1/statistics/years", access: .read, id: "years", summary: "Returns sums of all years of a device",
      returns: "Sums, by year."
    ) { $0.records.years },
    Route(
      .get, path: "/api/v1/statistics/records", access: .read, id: "records",
      summary: "Returns records of a device: furthest, longest, fastest", returns: "Records."
    ) { $0.records.records },
    Route(
      .get, path: "/api/v1/history/explored", access: .read, id: "exploredArea",
      summary: "Returns how much of a city several devices have explored", returns: "The city, and its share."
    ) { $0.tiles.explored },
    Route(
      .get, path: "/api/v1/history/explored-country", access: .read, id: "exploredCountry",
      summary: "Returns how much of a country several devices have explored", returns: "The country, and its share."
    ) { $0.tiles.exploredCountry },
    Route(
      .get, path: "/api/v1/history/tiles/TILE", access: .read, id: "historyTile",
      summary: "Returns the history of several devices as a vector tile",
      details: """
        Layers: `lines` and `points` with the properties `device`, `day` (days since 1970, UTC; of long ranges the first of several \
        days), `mode` and `speed` (class 0 to 6: below 7, 25, 50, 90, 130, 250 km/h, and above); `heat` and `hexagons` with `days` \
        (1, 2, 4, 8 and so on); `stays` with `device`, `visits`, `minutes` and `day`. Of a friend's device only lines and points \
        outside of private zones. A tile has at most 60,000 bytes; where there is more, parallel lines become one.
        """,
      returns: "A tile of Mapbox Vector Tile 2.1 with 4096 units; empty where nothing is.",
      parameter: "`zoom/column/row.mvt`.", problems: [404],
      as: Operation<HistoryTileAPI.Parameters, NoBody, RawResult<HistoryTileAPI.TileContent>>.self
    ) { try $0.tiles.tile($1) },
    Route(
      .get, path: "/api/v1/outliers", access: .read, id: "outliers", summary: "Lists outliers",
      returns: "Outliers, by device and time."
    ) { $0.timeline.outliers },
    Route(
      .put, path: "/api/v1/outliers", access: .accountChange, id: "flagOutlier",
      summary: "Flags or unflags a point as an outlier",
      returns: "The flag.", problems: [404]
    ) { $0.timeline.flag },
    Route(
      .delete, path: "/api/v1/outliers", access: .accountChange, id: "unflagOutlier", summary: "Removes a user's flag of a point",
      returns: "The flag.", problems: [404]
    ) { $0.timeline.unflag },
    Route(
      .get, path: "/api/v1/timeline/corrections", access: .read, id: "corrections",
      summary: "Lists corrections of visits and trips",
      returns: "Corrections, newest first.", problems: [404]
    ) { $0.corrections.list },
    Route(
      .post, path: "/api/v1/timeline/corrections", access: .accountChange, id: "addCorrection",
      summary: "Corrects a visit or a trip", returns: "The correction.", problems: [404, 409]
    ) { $0.corrections.add },
    Route(
      .delete, path: "/api/v1/timeline/corrections/ID", access: .accountChange, id: "undoCorrection",
      summary: "Undoes a correction of the last week", returns: "The correction.", problems: [404, 409]
    ) { $0.corrections.undo },
    Route(
      .get, path: "/api/v1/places", access: .account, id: "places", summary: "Lists named places and places of visits",
      returns: "Places."
    ) { $0.places.list },
    Route(
      .post, path: "/api/v1/places", access: .accountChange, id: "addPlace", summary: "Creates a named place",
      returns: "The place.", problems: [404, 409]
    ) { $0.places.add },
    Route(
      .put, path: "/api/v1/places/ID", access: .accountChange, id: "changePlace", summary: "Changes a place",
      returns: "The place."
    ) { $0.places.change },
    Route(
      .delete, path: "/api/v1/places/ID", access: .accountChange, id: "removePlace", summary: "Removes a place",
      returns: "The id."
    ) { $0.places.remove },
    Route(
      .get, path: "/api/v1/places/ID/visits", access: .account, id: "placeVisits", summary: "Lists the visits of a place",
      returns: "Visits, newest first.", problems: [404]
    ) { $0.places.visits },
    Route(
      .post, path: "/api/v1/places/ID/merge", access: .accountChange, id: "mergePlace",
      summary: "Merges a place into another one",
      returns: "The place that remains.", problems: [404, 409]
    ) { $0.places.merge },
    Route(
      .get, path: "/api/v1/place-changes", access: .account, id: "placeChanges",
      summary: "Lists the changes of places of the last week", returns: "Changes, newest first."
    ) { $0.places.changes },
    Route(
      .post, path: "/api/v1/place-changes/ID/undo", access: .accountChange, id: "undoPlaceChange",
      summary: "Undoes a change, a merge or the removal of a place", returns: "The place as it was.", problems: [404, 409]
    ) { $0.places.undo },
    Route(
      .delete, path: "/api/v1/place-changes/ID", access: .accountChange, id: "discardPlaceChange",
      summary: "Deletes what an undo of a change of a place needs", returns: "The id.", problems: [404]
    ) { $0.places.discard },
    Route(
      .get, path: "/api/v1/devices/NAME/time-zone", access: .account, id: "timeZone",
      summary: "Returns the time zone that defines a device's days", returns: "The time zone."
    ) { $0.statistics.zone },
    Route(
      .put, path: "/api/v1/devices/NAME/time-zone", access: .accountChange, id: "setTimeZone",
      summary: "Sets the time zone that defines a device's days", returns: "The time zone."
    ) { $0.statistics.setZone }.looking { handlers, request throws(Problem) in try handlers.statistics.find(request) },
  ]
}
