package import GodwitAccess

/// The handlers of visits, trips, statistics and places, created once.
package struct HistoryHandlers: Sendable {
  let timeline: TimelineAPI
  let statistics: StatisticsAPI
  let records: TravelRecordsAPI
  let places: PlaceAPI

  package init(work: RequestWork, eventPublisher: EventPublisher) {
    timeline = TimelineAPI(work: work, eventPublisher: eventPublisher)
    statistics = StatisticsAPI(work: work)
    records = TravelRecordsAPI(work: work)
    places = PlaceAPI(work: work)
  }
}
