internal import CoreLocation
package import Foundation
package import GodwitPhone
internal import GodwitSimulator

/// What happens to the app in a life: it is ended by the system, swiped away, updated; its phone is started again, or its battery
/// is empty.
package struct GeofenceFailures: Sendable {
  /// As `HazardScript` reads it, from the beginning of the life.
  package private(set) var script = ""
  /// When nothing can reach the app: while the phone is off or has not been unlocked, and while the person has to open the app.
  package private(set) var deaf: [(from: Date, until: Date?)] = []
  /// How often the app was ended.
  package private(set) var count = 0

  /// Nothing.
  package init() {}

  /// - Parameters:
  ///   - script: as `HazardScript` reads it, from the beginning of the life.
  ///   - deaf: when nothing can reach the app because of it.
  package init(_ script: String, deaf: [(from: Date, until: Date?)]) {
    self.script = script
    self.deaf = deaf
  }

  /// - Parameters:
  ///   - days: of the life.
  ///   - system: says what a swipe does.
  ///   - seed: of the moments.
  package init(days: Int, on system: SystemVersion, seed: UInt64) {
    var random = RandomSource(seed: seed, stream: "troubles")
    for day in 0..<days {
      let morning = Double(day) * 86_400 + 21_000
      add("charger off", at: morning)
      add("charger on", at: morning + 60_000)
      // At times of their own, in the order of the day, so that what belongs together is not torn apart.
      let moments = (0..<8).map { morning + Double($0) * 7_200 + random.uniform(0...3_000) }
      for timestamp in moments {
        switch random.uniform() {
        case ..<0.6: end("kill", at: timestamp)
        case ..<0.75:
          end("force-quit", at: timestamp)
          guard system.profile.forceQuit == .never else { continue }
          let opened = timestamp + random.uniform(60...3_000)
          open(at: opened)
          deaf(timestamp, opened)
        case ..<0.8: end("update-app", at: timestamp)
        case ..<0.85:
          end("reboot", at: timestamp)
          let unlocked = timestamp + random.uniform(20...1_800)
          add("unlock", at: unlocked)
          deaf(timestamp, unlocked)
        case ..<0.87:
          end("battery 0.0001", at: timestamp)
          add("charger on", at: timestamp + 1_800)
          open(at: timestamp + 2_400)
          add("charger off", at: timestamp + 6_500)
          deaf(timestamp, timestamp + 2_400)
        default: break
        }
      }
    }
  }

  private mutating func add(_ text: String, at seconds: Double) { script += "+\(Int(seconds))s \(text)\n" }

  private mutating func end(_ text: String, at seconds: Double) {
    count += 1
    add(text, at: seconds)
    // What the app was about to do is begun again by the next news.
    deaf(seconds, seconds)
  }

  private mutating func open(at seconds: Double) {
    add("open", at: seconds)
    add("close", at: seconds + 20)
  }

  private mutating func deaf(_ from: Double, _ until: Double) {
    deaf.append(((CityLife.midnight + from.rounded(.down)).date, (CityLife.midnight + until).date))
  }
}
