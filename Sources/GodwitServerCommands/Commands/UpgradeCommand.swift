internal import Foundation
internal import GodwitCommandLine
internal import GodwitServer
internal import GodwitStore

/// `godwit upgrade`
struct UpgradeCommand: StoreCommand {
  static let name = "upgrade"
  static let abstract = "Upgrade the schema of a store, or rehearse it."
  static let discussion = """
    `godwit serve` upgrades a store of an older version when it starts. This command does the same without a server, and with --check it
    rehearses it: it copies the SQLite database, also while a server uses it, runs all steps on the copy, checks the copy as godwit verify
    does, compares the numbers of devices, points, users and regions, and removes the copy. The store does not change. The exit
    status is 1 if the upgrade would fail. Of PostgreSQL all steps run in one transaction that is rolled back; they lock tables, so
    that no server may be connected.

    The upgrade of a SQLite database needs a stopped server. It writes a copy beside the database first, with which the older version can be
    used again. An interrupted upgrade continues when the command or the server is started again.
    """
  static let examples = [
    (line: "godwit upgrade --check", purpose: "Rehearse; the server may run"),
    (line: "godwit upgrade --check --data /var/lib/godwit --scratch /mnt/usb", purpose: "With the copy on another disk"),
    (line: "godwit upgrade --data /var/lib/godwit", purpose: "Upgrade now; the server is stopped"),
  ]

  let storeOptions = StoreOptions()
  @Flag("check", "Rehearse the upgrade without changing the store")
  var rehearses: Bool
  @OptionalOption("scratch", "DIR", "With --check: the folder for the copy (default: the data folder)")
  var scratch: String?
  @Flag("no-copy", "Upgrade without a copy: there is another one, or a dump of the PostgreSQL database")
  var withoutCopy: Bool

  func run() async throws {
    if scratch != nil, !rehearses { throw UsageError("--scratch requires --check") }
    if rehearses, withoutCopy { throw UsageError("--check and --no-copy exclude each other") }
    switch storeLocation {
    case .folder(let folder): try upgrade(UpgradePlan(folder: folder))
    case .postgres(let address): try upgrade(PostgresUpgrade(address), of: "\(storeLocation)")
    }
  }

  // MARK: SQLite

  private func upgrade(_ plan: UpgradePlan) throws {
    guard !plan.steps.isEmpty else { return reportNewest(plan.database, plan.newest) }
    Output.result(
      "\(plan.database): schema \(plan.version) of \(plan.newest), \(plan.size.megabytes).\nSteps: \(plan.steps.joined(separator: ", ")).\n"
    )
    if rehearses { try rehearse(plan) } else { try perform(plan) }
  }

  private func rehearse(_ plan: UpgradePlan) throws {
    let rehearsal = UpgradeRehearsal(of: plan, scratch: scratch)
    if let free = rehearsal.freeSpace {
      Output.result("Space in \(scratch ?? plan.folder): \(plan.neededSpace.megabytes) needed, \(free.megabytes) free.\n")
    }
    // The thread that writes the copy cannot be stopped, so the copy is removed while it is written.
    let signals = Signals.ending("Interrupted. The copy was removed; the store is as it was.") { rehearsal.removeCopy() }
    defer { for signal in signals { signal.cancel() } }
    let start = ContinuousClock.now
    let summary = try rehearsal.run { phase in
      let elapsed = Int((ContinuousClock.now - start).components.seconds)
      Output.progress("\(elapsed) s: \(Self.text(phase))")
    }
    Output.endProgress()
    Output.result(
      summary.steps.map { "  \($0.name): \(Self.seconds($0.seconds))\n" }.joined()
        + "The upgrade would succeed, and take about \(Self.seconds(summary.seconds)) with its copy. Before and after: \(summary.counts).\n"
        + "Nothing was changed. Make a backup, and start the new version or run godwit upgrade.\n")
  }

  private static func text(_ phase: UpgradeRehearsal.Phase) -> String {
    switch phase {
    case .checking: "checking the database"
    case .copying: "copying the database"
    case .step(let name): "step \"\(name)\" on the copy"
    case .verifying: "checking the upgraded copy"
    }
  }

  private func perform(_ plan: UpgradePlan) throws {
    let signal = Signals.exitOnInterrupt(printing: "Interrupted. Run godwit upgrade again, or start the server: it continues.")
    defer { signal.cancel() }
    let summary = try StoreUpgrade(of: plan, requiresCopy: !withoutCopy).run(at: Date()) { Output.progress("step \"\($0)\"") }
    Output.endProgress()
    var text = "Upgraded to schema \(plan.newest).\n"
    if !summary.hasChecksums {
      text += "There was too little space for checksums of the pages; godwit serve adds them when there is.\n"
    }
    if let copy = summary.copy {
      text += """
        The copy from before is \(copy). To go back to the older version: stop the server, move \(plan.database), \
        \(plan.database)-wal and \(plan.database)-shm away, copy \(copy) to \(plan.database), and start the older version. Records \
        since the upgrade are in the newer file only.

        """
    } else if plan.version < plan.newest {
      text += "No copy was made. To go back to the older version, restore a snapshot or a backup with it.\n"
    }
    Output.result(text)
  }

  // MARK: PostgreSQL

  private func upgrade(_ upgrade: PostgresUpgrade, of address: String) throws {
    guard scratch == nil else { throw UsageError("--scratch is for the SQLite database of a data folder") }
    guard let steps = upgrade.steps else {
      throw Failure("\(address) has no tables of godwit. `godwit serve` creates them.")
    }
    guard !steps.isEmpty else { return reportNewest(address, upgrade.newest) }
    Output.result(
      "\(address): schema \(upgrade.newest - steps.count) of \(upgrade.newest), \(upgrade.size.megabytes). "
        + "The free space of its disks cannot be seen from here.\nSteps: \(steps.joined(separator: ", ")).\n")
    if rehearses {
      let summary = try upgrade.rehearse { Output.progress("step \"\($0)\" in a transaction") }
      Output.endProgress()
      return Output.result(
        "The upgrade would succeed, and take about \(Self.seconds(summary.seconds)). Before and after: \(summary.counts).\n"
          + "All steps ran in one transaction, which was rolled back: nothing was changed. Make a dump with pg_dump, and start the new "
          + "version or run godwit upgrade --no-copy.\n")
    }
    guard withoutCopy else {
      throw Failure(
        "Nothing was changed: godwit makes no copy of a PostgreSQL database. Write a dump, pg_dump -Fc -f before-upgrade.dump "
          + "\(address), and give --no-copy.")
    }
    try upgrade.run { Output.progress("step \"\($0)\"") }
    Output.endProgress()
    Output.result(
      "Upgraded to schema \(upgrade.newest). To go back to the older version, restore the dump into another database with pg_restore.\n"
    )
  }

  // MARK: Both

  private func reportNewest(_ name: String, _ newest: Int) {
    Output.result("\(name) is up to date: it has schema \(newest), the newest of this version. Nothing was changed.\n")
  }

  /// Returns a duration as text, rounded up to seconds.
  private static func seconds(_ seconds: Double) -> String {
    seconds < 1 ? "less than 1 s" : "\(Int(min(seconds, 1e9).rounded(.up))) s"
  }
}
