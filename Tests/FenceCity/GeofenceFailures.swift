internal import CoreLocation
package import Foundation
package import GodwitPhone
internal import GodwitSimulator

/// The failures of a life: the app is killed, force-quit or updated; the phone reboots, or its battery is empty.
package struct GeofenceFailures: Sendable {
  /// The failures as a script for `HazardScript`, with times relative to the start of the life.
  package private(set) var script = ""
  /// The periods in which no event can reach the app: while the phone is off or not unlocked, and until the user opens the app again.
  package private(set) var unreachable: [(from: Date, until: Date?)] = []
  /// The number of times that the app was ended.
  package private(set) var count = 0

  /// Creates a life without failures.
  package init() {}

  /// - Parameters:
  ///   - script: a script for `HazardScript`, with times relative to the start of the life.
  ///   - unreachable: the periods in which no event can reach the app because of the script.
  package init(_ script: String, unreachable: [(from: Date, until: Date?)]) {
    self.script = script
    self.unreachable = unreachable
  }

  /// - Parameters:
  ///   - days: the number of days of the life.
  ///   - system: the system of the phone, which determines the effect of a force-quit.
  ///   - seed: the seed of the random failures.
  package init(days: Int, on system: SystemVersion, seed: UInt64) {
    var random = RandomSource(seed: seed, stream: "troubles")
    for day in 0..<days {
      let morning = Double(day) * 86_400 + 21_000
      add("charger off", at: morning)
      add("charger on", at: morning + 60_000)
      // Two hours apart, so that the steps of one failure do not mix with those of the next.
      let moments = (0..<8).map { morning + Double($0) * 7_200 + random.uniform(0...3_000) }
      for timestamp in moments {
        switch random.uniform() {
        case ..<0.6: end("kill", at: timestamp)
        case ..<0.75:
          end("force-quit", at: timestamp)
          guard system.profile.forceQuit == .never else { continue }
          let opened = timestamp + random.uniform(60...3_000)
          open(at: opened)
          addUnreachable(timestamp, opened)
        case ..<0.8: end("update-app", at: timestamp)
        case ..<0.85:
          end("reboot", at: timestamp)
          let unlocked = timestamp + random.uniform(20...1_800)
          add("unlock", at: unlocked)
          addUnreachable(timestamp, unlocked)
        case ..<0.87:
          end("battery 0.0001", at: timestamp)
          add("charger on", at: timestamp + 1_800)
          open(at: timestamp + 2_400)
          add("charger off", at: timestamp + 6_500)
          addUnreachable(timestamp, timestamp + 2_400)
        default: break
        }
      }
    }
  }

  private mutating func add(_ text: String, at seconds: Double) { script += "+\(Int(seconds))s \(text)\n" }

  private mutating func end(_ text: String, at seconds: Double) {
    count += 1
    add(text, at: seconds)
    // The next event repeats the work that the end interrupted.
    addUnreachable(seconds, seconds)
  }

  private mutating func open(at seconds: Double) {
    add("open", at: seconds)
    add("close", at: seconds + 20)
  }

  private mutating func addUnreachable(_ from: Double, _ until: Double) {
    unreachable.append(((CityLife.midnight + from.rounded(.down)).date, (CityLife.midnight + until).date))
  }
}
