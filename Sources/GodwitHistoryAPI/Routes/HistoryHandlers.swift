package import GodwitAccess

/// The handlers of visits, trips, statistics, places and tiles, created once.
package struct HistoryHandlers: Sendable {
  let timeline: TimelineAPI
  let statistics: StatisticsAPI
  let places: PlaceAPI
  let tiles: HistoryTileAPI

  package init(work: RequestWork, eventPublisher: EventPublisher) {
    timeline = TimelineAPI(work: work, eventPublisher: eventPublisher)
    statistics = StatisticsAPI(work: work)
    places = PlaceAPI(work: work)
    tiles = HistoryTileAPI(work: work)
  }
}
