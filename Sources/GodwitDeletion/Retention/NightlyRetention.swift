package import Foundation
package import GodwitAccounts
internal import GodwitModel
package import GodwitStore
internal import Synchronization

/// Applies the retention rules once after three o'clock of each night, in local time. A server that was off or suspended at three applies
/// them at its first check. After a restart they are applied again, which deletes nothing twice.
package final class NightlyRetention: Sendable {
  private let database: any StoreDatabase
  private let audit: AuditLog
  private let calendar: Calendar
  /// The last night whose rules were applied without a failure.
  private let last = Mutex<Date?>(nil)

  package init(database: any StoreDatabase, audit: AuditLog, calendar: Calendar = .current) {
    (self.database, self.audit, self.calendar) = (database, audit, calendar)
  }

  /// Applies the rules that were set before the newest night, or more than a day ahead because the clock was set back since, if they were
  /// not yet applied since that night. Blocks the thread.
  /// - Returns: the devices whose rules could not be applied, with the errors. The next check applies all rules again.
  /// - Throws: an error of the store.
  package func runIfDue(at now: Date) throws -> [(device: String, error: any Error)] {
    let night = newestNight(at: now)
    guard last.withLock({ $0 != night }) else { return [] }
    let tomorrow = now.addingTimeInterval(DayLength.seconds)
    let entries = try database.read(RetentionTable.all).filter { entry in
      let changed = entry.changed ?? .distantPast
      return changed < night || changed > tomorrow
    }
    let problems = entries.compactMap { entry -> (device: String, error: any Error)? in
      do {
        let result = try RetentionRun(database: database).run(entry, at: now)
        if result != RetentionResult() { audit.record(Self.line(result, entry.device.name)) }
        return nil
      } catch { return (entry.device.name, error) }
    }
    if problems.isEmpty { last.withLock { $0 = night } }
    return problems
  }

  /// The newest three o'clock that has passed; on a day whose clocks skip it, the first time afterwards.
  package func newestNight(at now: Date) -> Date {
    let today = night(of: now)
    guard today > now else { return today }
    return night(of: calendar.date(byAdding: .day, value: -1, to: now) ?? now)
  }

  private func night(of day: Date) -> Date {
    calendar.date(bySettingHour: 3, minute: 0, second: 0, of: day, matchingPolicy: .nextTime) ?? calendar.startOfDay(for: day)
  }

  private static func line(_ result: RetentionResult, _ device: String) -> AuditEntry {
    AuditEntry(
      actor: "the server",
      action: "retention: \(result.expired) expired, \(result.expiredEvents.counted("event")), \(result.thinned) thinned",
      subject: device, address: "local")
  }
}
