#if canImport(ObjectiveC)
  // Not compiled on systems without Objective-C, so it holds no decisions: everything here only forwards.
  public import Foundation
  internal import Godwit
  internal import GodwitModel
  internal import GodwitLocks

  /// The regions of the server of `GWConfiguration.regionsEndpoint`. Without that endpoint no region is monitored.
  extension GWTracker {
    /// The geofences that the device is in, nearest edge first.
    @objc public var currentGeofences: [GWRegion] { (tracker.regions?.geofencesByDistance ?? []).map { GWRegion($0) } }

    /// The beacons that are near, nearest first.
    @objc public var currentBeacons: [GWRegion] { (tracker.regions?.beaconsByProximity ?? []).map { GWRegion($0.region) } }

    /// The current problems of regions, as sentences; `nil`: none.
    @objc public var regionProblem: String? { tracker.regions?.problem }

    /// Calls a block with each following entry, exit and dwell, once, on the main thread. A later call replaces the
    /// block; `nil` removes it. The events are recorded and sent in any case.
    /// - Parameter block: receives the event.
    @objc(observeRegionEventsUsingBlock:)
    public func observeRegionEvents(using block: (@MainActor @Sendable (GWRegionEvent) -> Void)?) {
      // Subscribes before the task starts, so that no event is lost.
      let events = tracker.regions?.regionEvents
      replace(
        \.events,
        by: block.map { block in
          Task { @MainActor in
            guard let events else { return }
            for await event in events { block(GWRegionEvent(event)) }
          }
        })
    }

    /// Calls a block with the geofences that the device is in, now and at every change, on the main thread. A later
    /// call replaces the block; `nil` removes it.
    /// - Parameter block: receives all geofences that the device is in, in any order.
    @objc(observeGeofencesUsingBlock:)
    public func observeGeofences(using block: (@MainActor @Sendable ([GWRegion]) -> Void)?) {
      replace(\.geofences, by: Self.task(tracker.regions?.geofences, block))
    }

    /// Calls a block with the beacons that are near, now and at every change, on the main thread. A later call replaces
    /// the block; `nil` removes it.
    /// - Parameter block: receives all beacons that are near, in any order.
    @objc(observeBeaconsUsingBlock:)
    public func observeBeacons(using block: (@MainActor @Sendable ([GWRegion]) -> Void)?) {
      replace(\.beacons, by: Self.task(tracker.regions?.beacons, block))
    }

    /// Copies the regions of the server now, in the background.
    /// - Parameter completion: called on the main thread with whether something changed, or with the error.
    @objc(syncRegionsWithCompletion:)
    public func syncRegions(completion: @escaping @MainActor @Sendable (Bool, NSError?) -> Void) {
      Task { @MainActor in
        guard let sync = tracker.sync else {
          completion(false, FacadeError.nsError(GodwitError(.invalidEndpoint, "The configuration names no regionsEndpoint.")))
          return
        }
        switch await sync.sync().result {
        case .newData: completion(true, nil)
        case .noData: completion(false, nil)
        case .failed(let reason): completion(false, FacadeError.nsError(GodwitError(.other, reason)))
        }
      }
    }

    private static func task(
      _ regions: AsyncStream<Set<Region>>?, _ block: (@MainActor @Sendable ([GWRegion]) -> Void)?
    ) -> Task<Void, Never>? {
      guard let regions, let block else { return nil }
      return Task { @MainActor in for await all in regions { block(all.map { GWRegion($0) }) } }
    }

    private func replace(
      _ which: any WritableKeyPath<RegionObservations, Task<Void, Never>?> & Sendable, by task: Task<Void, Never>?
    ) {
      let old = regionObservations.withLock { kept in
        defer { kept[keyPath: which] = task }
        return kept[keyPath: which]
      }
      old?.cancel()
    }
  }

  /// The observers of regions.
  struct RegionObservations: Sendable {
    var events: Task<Void, Never>?
    var geofences: Task<Void, Never>?
    var beacons: Task<Void, Never>?

    func cancel() { for task in [events, geofences, beacons] { task?.cancel() } }
  }
#endif
