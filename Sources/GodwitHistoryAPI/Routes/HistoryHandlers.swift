package import GodwitAccess
package import GodwitHistory
package import GodwitTiles

/// The handlers of visits, trips, statistics, places and tiles, created once.
package struct HistoryHandlers: Sendable {
  let timeline: TimelineAPI
  let roads: TripRoadAPI
  let statistics: StatisticsAPI
  let records: TravelRecordsAPI
  let places: PlaceAPI
  let corrections: CorrectionAPI
  let tiles: HistoryTileAPI

  package init(work: RequestWork, eventPublisher: EventPublisher, placeNames: PlaceNames, roads: RoadLibrary) {
    let localities = Localities(placeNames)
    timeline = TimelineAPI(work: work, eventPublisher: eventPublisher, localities: localities)
    self.roads = TripRoadAPI(work: work, library: roads)
    statistics = StatisticsAPI(work: work, localities: localities)
    records = TravelRecordsAPI(work: work, localities: localities)
    places = PlaceAPI(work: work, localities: localities)
    corrections = CorrectionAPI(work: work)
    tiles = HistoryTileAPI(work: work, localities: localities)
  }
}
