#if os(Linux)
  internal import Foundation
  internal import GodwitModel

  /// Batteries as the kernel reports them in `/sys/class/power_supply`, one folder each.
  ///
  /// Source: https://www.kernel.org/doc/Documentation/ABI/testing/sysfs-class-power
  struct PowerSupplies: Sendable {
    let folder: String

    /// One battery.
    struct Battery: Sendable, Hashable {
      var status: String
      /// The level of the fuel gauge, 0…1; `nil`: unknown.
      var capacity: Double?
      /// The stored energy; `nil`: unknown.
      var energy: Energy?
    }

    /// The energy of a battery in microwatt-hours.
    struct Energy: Sendable, Hashable {
      var now: Double
      /// The energy of a full battery.
      var full: Double
    }

    /// Returns the combined state of all batteries; `nil` if the kernel has no such folder.
    func read() -> BatteryReading? {
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
      return Self.together(names.sorted().compactMap { battery(folder + "/" + $0) })
    }

    // MARK: One battery

    /// Returns the battery in a folder; `nil` for a charger, for the battery of a peripheral such as a mouse, and for a
    /// battery that was removed.
    private func battery(_ path: String) -> Battery? {
      guard text(path, "type") == "Battery", text(path, "scope") != "Device", text(path, "present") != "0" else {
        return nil
      }
      let capacity = number(path, "capacity").flatMap { $0 <= 100 ? $0 / 100 : nil }
      return Battery(status: text(path, "status") ?? "", capacity: capacity, energy: energy(path))
    }

    private func energy(_ path: String) -> Energy? {
      if let now = number(path, "energy_now"), let full = full(path, "energy") { return Energy(now: now, full: full) }
      // For a gauge that counts charge in microampere-hours: the design voltage is steadier than the present voltage.
      guard let now = number(path, "charge_now"), let full = full(path, "charge"),
        let voltage = number(path, "voltage_min_design") ?? number(path, "voltage_now"), voltage > 0
      else { return nil }
      let volts = voltage / 1_000_000
      return Energy(now: now * volts, full: full * volts)
    }

    private func full(_ path: String, _ quantity: String) -> Double? {
      [quantity + "_full", quantity + "_full_design"].lazy.compactMap { number(path, $0) }.first { $0 > 0 }
    }

    /// Returns the number in a file; `nil` unless it is finite and not negative.
    private func number(_ path: String, _ attribute: String) -> Double? {
      text(path, attribute).flatMap(Double.init).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }

    /// Returns the text of a file; `nil` if the driver reports an error. The kernel writes at most a page.
    private func text(_ path: String, _ attribute: String) -> String? {
      SystemFile.text(path + "/" + attribute, maximum: 4096)
    }

    // MARK: All of them

    static func together(_ batteries: [Battery]) -> BatteryReading {
      guard let first = batteries.first else { return .noBattery }
      let level: Double?
      if batteries.count == 1 {
        // The fuel gauge is more accurate than the ratio of the energies.
        level = first.capacity ?? ratio([first.energy])
      } else {
        let gauges = batteries.compactMap { $0.capacity ?? ratio([$0.energy]) }
        level =
          ratio(batteries.map(\.energy))
          ?? (gauges.count == batteries.count ? gauges.reduce(0, +) / Double(gauges.count) : nil)
      }
      return .battery(level: level, state: state(batteries.map(\.status), level: level))
    }

    /// Returns the stored part of the full energy, 0…1; `nil` unless all energies are known.
    private static func ratio(_ energies: [Energy?]) -> Double? {
      let known = energies.compactMap(\.self)
      let full = known.reduce(0) { $0 + $1.full }
      guard known.count == energies.count, full > 0, full.isFinite else { return nil }
      return min(1, known.reduce(0) { $0 + $1.now } / full)
    }

    private static func state(_ statuses: [String], level: Double?) -> BatteryState {
      if statuses.contains("Charging") { return .charging }
      if statuses.contains("Discharging") { return .unplugged }
      if statuses.allSatisfy({ $0 == "Full" }) { return .full }
      // On mains power, at a configured charge limit.
      if statuses.contains("Not charging") || statuses.contains("Full") {
        return (level ?? 0) >= 0.995 ? .full : .charging
      }
      return .unknown
    }
  }
#endif
