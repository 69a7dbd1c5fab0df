internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitDeletion
internal import GodwitGeofencing
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitIntake
internal import GodwitModel
internal import GodwitServices
internal import GodwitStore
internal import GodwitTransfer
internal import GodwitVisits

extension Server {
  /// Seconds that a stopping service waits for its pending work.
  static let stopTimeout = 5.0

  /// The services of a running server, in the order of their dependencies.
  /// - Parameter http: the network server; `nil`: requests come from this process, and no files are imported.
  func services(of http: HTTPServer?) -> ServiceGroup {
    let (stores, feed, log) = (stores, live.feed, configuration.log)
    let connections = http.map { http in
      StartedService(stop: { [network] in
        http.beginStopping()
        feed.close()
        await network.stop()
        await http.stop(within: Self.stopTimeout)
      })
    }
    let ordered: [(any Service)?] = [
      StartedService(stop: { stores.store.close() }), notifications.sender, notifications.positions,
      StartedService(stop: { log?.finish() }), http == nil ? nil : transfer.imports, receivers.mqttService, connections,
    ]
    return ServiceGroup(ordered.compactMap(\.self), background: background, executor: executor)
  }

  private var background: [any Service] {
    let (store, publisher) = (stores.store, live.publisher)
    var services: [any Service] = [
      schedule,
      RecomputeWorker(database: store, library: maps.roads, flagged: { publisher.publish($1, ofDevice: $0) }),
    ]
    if let mirror = configuration.mirror { services.append(MirrorSender(store, to: mirror)) }
    if let address = configuration.geocoder {
      let agent = "godwit/\(Version.current) (server of one's own location history)"
      services.append(Geocoder(address: address, database: store, userAgent: agent, log: configuration.notices))
    }
    return services
  }

  /// The periodic work of a running server.
  var schedule: Schedule {
    Schedule(
      storeTasks + feedTasks + maintenanceTasks, clock: stores.store.clock,
      failed: { [notices = configuration.notices] name, error in notices("Periodic work failed (\(name)): \(error)") })
  }

  private var storeTasks: [PeriodicTask] {
    [
      .every(.seconds(5), "check that the store can write") { [watch] in watch.checkWriting() },
      .every(.seconds(600), after: .seconds(1), "check the database for damage") { [watch] in
        try await watch.checkIntegrityIfDue()
      },
      // Content that is only in the write-ahead log would be lost with the log.
      .every(.seconds(60), "checkpoint the log of the database") { [watch] in try await watch.moveLog() },
    ]
  }

  /// Tasks of the live feed. Changes by other servers and programs are detected within a second.
  private var feedTasks: [PeriodicTask] {
    let (live, reading) = (live, stores.work.reading)
    var tasks: [PeriodicTask] = [
      .every(.seconds(15), "follow the machine's address in its network") { [network] in await network.follow() },
      .every(.seconds(15), "keep event streams alive") { live.feed.keepAlive() },
      .every(.seconds(1), "close event streams of revoked tokens") {
        if live.feed.hasSubscribers { try await reading.run { live.feed.review() } }
      },
      .every(.seconds(1), "publish deletions by other programs") { try await reading.run { live.publishDeletionsOfOthers() } },
      .every(.seconds(1), "publish region changes by other programs") {
        if live.feed.hasSubscribers { try await reading.run { live.regionChanges.refresh() } }
      },
    ]
    if let relay = live.relay {
      let clock = stores.store.clock
      tasks.append(
        .every(.seconds(1), "relay events of other servers") { try await reading.run { relay.poll(at: clock.uptime) } })
    }
    return tasks
  }

  private var maintenanceTasks: [PeriodicTask] {
    let (reading, clock) = (stores.work.reading, stores.store.clock)
    let (sender, positions) = (notifications.sender, notifications.positions)
    let monitor = OfflineMonitor(store: stores.store, outbox: sender)
    let retention = NightlyRetention(database: stores.store, audit: stores.audit)
    let jump = DateJump(clock)
    var tasks: [PeriodicTask] = [
      .every(.seconds(30), "find deliveries and webhooks of other servers and commands") {
        sender.refresh()
        positions.refresh()
      },
      .every(.seconds(OfflineMonitor.interval), after: .zero, "find devices that went offline or online") {
        sender.deliver(try await monitor.check(at: clock.now).keys)
      },
      // A deletion may be incomplete because the store failed, or because a long read blocked the log.
      .every(.seconds(3600), after: .zero, "complete interrupted deletions") { [self] in
        try await reading.run { self.resumeDeletions() }
      },
      .every(.seconds(3600), after: .seconds(30), "delete what is in the trash for a week") { [self] in
        guard !jump.isRecent else { return }
        try await reading.run { try self.transfer.deletion.emptyExpired(at: clock.now) }
      },
      .every(.seconds(3600), after: .seconds(60), "delete expired rows") { [self] in
        guard !jump.isRecent else { return }
        try await reading.run { self.deleteExpiredRows() }
      },
      .every(.seconds(3600), after: .seconds(60), "apply retention") { [retention, notices = configuration.notices] in
        guard !jump.isRecent else { return }
        for (device, error) in try await reading.run({ try retention.runIfDue(at: clock.now) }) {
          notices("The retention of device \(device) could not be applied, and is tried again within an hour: \(error)")
        }
      },
    ]
    if let days = configuration.sealAfterDays {
      tasks.append(
        .every(.seconds(3600), after: .seconds(120), "compress old points") { [self] in
          _ = try await reading.run { try self.compressPoints(olderThan: days) }
        })
    }
    tasks.append(
      .every(.seconds(7 * 86_400), after: .seconds(3600), "check all blocks of points") { [stores] in
        _ = try await reading.run { try BlockScrub.run(stores.store) }
      })
    if stores.store.dialect == .postgres {
      tasks.append(
        .every(.seconds(7 * 86_400), after: .seconds(7200), "check all rows of points") { [stores] in
          _ = try await reading.run { try PointHashes.run(stores.store) }
        })
    }
    let (folder, roads, notices) = (maps.folder, maps.roadFolder, configuration.notices)
    tasks.append(.every(.seconds(5), "find a new base map") { try await reading.run { folder.refresh(notices) } })
    tasks.append(.every(.seconds(5), "find new roads") { try await reading.run { roads.refresh(notices) } })
    if let identity {
      let notices = configuration.notices
      tasks.append(
        .every(.seconds(1), "renew the certificate") { try await reading.run { identity.renew().map(notices) } })
    }
    return tasks
  }

  /// Deletes ended sessions, expired failures and old log lines. Each kind of rows has its own transaction, so that a failure of one
  /// does not keep the others. Blocks the thread.
  private func deleteExpiredRows() {
    let now = stores.store.clock.now
    let kinds: [(String, @Sendable (any SQLConnection) throws -> Void)] = [
      ("sessions", { try SessionTable.removeEnded(at: now, $0) }),
      ("sign-in challenges", { try SignInChallenge.removeEnded(at: now, $0) }),
      ("failed sign-ins", { try SignInThrottle.discardExpired(at: now, $0) }),
      ("log lines", { try AuditTable.discardOld(at: now, $0) }),
      ("notices", { try AccountNoticeTable.removeOld(at: now, $0) }),
      ("rejected records", { try RejectedRecordTable.discardResolved(at: now, $0) }),
      ("changes of places", { try PlaceChangeTable.removeExpired(at: now, $0) }),
    ]
    for (name, delete) in kinds {
      do { try stores.store.writeAndWait(delete) } catch {
        configuration.notices("Expired rows could not be deleted (\(name)): \(error)")
      }
    }
  }

  /// Compresses points that are older than some days. Blocks the thread.
  /// - Parameter days: at least 0.
  /// - Returns: the number of compressed points.
  /// - Throws: an error of the store.
  @discardableResult
  public func compressPoints(olderThan days: Double) throws -> Int {
    let result = try SealingRun(database: stores.store, days: days).run(at: stores.store.clock.now)
    for (device, problem) in result.problems {
      configuration.notices("Points of device \(device) cannot be compressed: \(problem)")
    }
    return result.sealed
  }

  /// Completes deletions that a crash interrupted. Blocks the thread.
  func resumeDeletions() {
    do { try transfer.deletion.resume() } catch {
      configuration.notices(
        "A deletion is not complete: \(error). The server continues it within an hour, or when it "
          + "starts again.")
    }
  }
}
