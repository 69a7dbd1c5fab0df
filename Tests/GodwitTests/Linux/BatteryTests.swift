#if os(Linux)
  import Foundation
  import GodwitDBus
  import GodwitModel
  import TestBus
  import Testing

  @testable import Godwit

  @Suite("Batteries")
  struct BatteryTests {
    struct Machine: Sendable, CustomTestStringConvertible {
      let name: String
      /// Attributes of each supply.
      let supplies: [String: [String: String]]
      let reading: BatteryReading
      var testDescription: String { name }
    }

    private static let mains = ["type": "Mains\n", "online": "1\n"]

    static let machines = [
      Machine(name: "a Raspberry Pi on mains: nothing at all", supplies: [:], reading: .noBattery),
      Machine(name: "a desktop PC with a charger's entry", supplies: ["AC": mains], reading: .noBattery),
      Machine(
        name: "a laptop that is charging",
        supplies: [
          "AC": mains,
          "BAT0": [
            "type": "Battery\n", "scope": "System\n", "present": "1\n", "status": "Charging\n", "capacity": "81\n",
            "energy_now": "40000000\n", "energy_full": "50000000\n",
          ],
        ], reading: .battery(level: 0.81, state: .charging)),
      Machine(
        name: "a laptop with an internal and an external battery: combined by energy",
        supplies: [
          "BAT0": [
            "type": "Battery", "status": "Not charging", "capacity": "100", "energy_now": "24000000",
            "energy_full": "24000000",
          ],
          "BAT1": [
            "type": "Battery", "status": "Discharging", "capacity": "50", "energy_now": "36000000",
            "energy_full": "72000000",
          ],
        ], reading: .battery(level: 0.625, state: .unplugged)),
      Machine(
        name: "a battery that reports charge: converted with its design voltage",
        supplies: [
          "BAT0": [
            "type": "Battery", "status": "Discharging", "charge_now": "1000000", "charge_full": "4000000",
            "voltage_min_design": "11100000", "voltage_now": "12000000",
          ],
          "BAT1": [
            "type": "Battery", "status": "Discharging", "energy_now": "44400000", "energy_full": "44400000",
          ],
        ], reading: .battery(level: 0.625, state: .unplugged)),
      Machine(
        name: "a gauge of a small board: capacity only",
        supplies: ["axp20x-battery": ["type": "Battery", "status": "Discharging", "capacity": "7"]],
        reading: .battery(level: 0.07, state: .unplugged)),
      Machine(
        name: "two gauges without energy: their mean",
        supplies: [
          "a": ["type": "Battery", "status": "Full", "capacity": "100"],
          "b": ["type": "Battery", "status": "Charging", "capacity": "50", "energy_now": "1", "energy_full": "2"],
        ], reading: .battery(level: 0.75, state: .charging)),
      Machine(
        name: "a mouse's battery is not the machine's",
        supplies: [
          "hidpp_battery_0": ["type": "Battery", "scope": "Device", "status": "Discharging", "capacity": "20"]
        ], reading: .noBattery),
      Machine(
        name: "a bay without a battery",
        supplies: ["BAT1": ["type": "Battery", "present": "0", "status": "Unknown", "capacity": "0"]], reading: .noBattery),
      Machine(
        name: "full",
        supplies: ["BAT0": ["type": "Battery", "status": "Full", "capacity": "100"]],
        reading: .battery(level: 1, state: .full)),
      Machine(
        name: "held at 80 % by a charge limit: on power",
        supplies: ["BAT0": ["type": "Battery", "status": "Not charging", "capacity": "80"]],
        reading: .battery(level: 0.8, state: .charging)),
      Machine(
        name: "held at 100 %",
        supplies: ["BAT0": ["type": "Battery", "status": "Not charging", "capacity": "100"]],
        reading: .battery(level: 1, state: .full)),
      Machine(
        name: "empty is a level",
        supplies: ["BAT0": ["type": "Battery", "status": "Discharging", "capacity": "0"]],
        reading: .battery(level: 0, state: .unplugged)),
      Machine(
        name: "more energy than when it was full, as old batteries report",
        supplies: [
          "BAT0": ["type": "Battery", "status": "Full", "energy_now": "51000000", "energy_full": "50000000"]
        ], reading: .battery(level: 1, state: .full)),
      Machine(
        name: "full energy unknown: the design energy",
        supplies: [
          "BAT0": [
            "type": "Battery", "status": "Discharging", "energy_now": "10", "energy_full": "0",
            "energy_full_design": "40",
          ]
        ], reading: .battery(level: 0.25, state: .unplugged)),
      // The values of a broken driver or an attacker.
      Machine(
        name: "255 %", supplies: ["BAT0": ["type": "Battery", "status": "Charging", "capacity": "255"]],
        reading: .battery(level: nil, state: .charging)),
      Machine(
        name: "−1 %", supplies: ["BAT0": ["type": "Battery", "status": "Unknown", "capacity": "-1"]],
        reading: .battery(level: nil, state: .unknown)),
      Machine(
        name: "words and infinities for numbers",
        supplies: [
          "BAT0": ["type": "Battery", "status": "?", "capacity": "nan", "energy_now": "inf", "energy_full": "many"]
        ], reading: .battery(level: nil, state: .unknown)),
      Machine(
        name: "nothing to divide by",
        supplies: ["BAT0": ["type": "Battery", "status": "Full", "charge_now": "5", "charge_full": "0"]],
        reading: .battery(level: nil, state: .full)),
      Machine(
        name: "empty files",
        supplies: ["BAT0": ["type": "Battery", "status": "", "capacity": ""]],
        reading: .battery(level: nil, state: .unknown)),
      Machine(
        name: "a very long file",
        supplies: ["BAT0": ["type": "Battery", "status": "Full", "capacity": String(repeating: "9", count: 100_000)]],
        reading: .battery(level: nil, state: .full)),
      Machine(name: "no text at all", supplies: ["BAT0": ["type": "\u{0}\u{1}\u{FFFD}"]], reading: .noBattery),
    ]

    @Test("the kernel's files are read", arguments: machines)
    func files(_ machine: Machine) throws {
      let folder = try TemporaryFolder()
      try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
      for (supply, attributes) in machine.supplies {
        try folder.write(Dictionary(uniqueKeysWithValues: attributes.map { ("\(supply)/\($0.key)", $0.value) }))
      }
      let reading = try #require(PowerSupplies(folder: folder.url.path).read())
      guard case .battery(let level?, let state) = reading, case .battery(let expected?, _) = machine.reading else {
        #expect(reading == machine.reading)
        return
      }
      #expect(abs(level - expected) < 1e-12)
      #expect(reading == .battery(level: level, state: state))
      #expect(machine.reading == .battery(level: expected, state: state))
    }

    @Test("a pipe in the place of a file does not block")
    func pipe() throws {
      let folder = try TemporaryFolder()
      try folder.write(["BAT0/type": "Battery", "BAT0/capacity": "50"])
      try #require(mkfifo(folder.url.appendingPathComponent("BAT0/status").path, 0o600) == 0)
      #expect(PowerSupplies(folder: folder.url.path).read() == .battery(level: 0.5, state: .unknown))
    }

    @Test("a kernel without power supplies is distinguished from one without a battery")
    func noFolder() { #expect(PowerSupplies(folder: "/nonexistent").read() == nil) }

    @Test(
      "the states of UPower are mapped to those of Overland",
      arguments: [
        (0, .unknown), (1, .charging), (2, .unplugged), (3, .unplugged), (4, .full), (5, .charging), (6, .unplugged),
        (7, .unknown),
      ] as [(UInt32, BatteryState)])
    func states(_ number: UInt32, _ state: BatteryState) {
      let properties: [String: DBusValue] = [
        "IsPresent": .variant(.boolean(true)), "Type": .variant(.uint32(2)), "State": .variant(.uint32(number)),
        "Percentage": .variant(.double(50)),
      ]
      #expect(UPower.reading(properties) == .battery(level: 0.5, state: state))
    }

    @Test(
      "other values of UPower are read",
      arguments: [
        ([:], .noBattery),
        (["IsPresent": .boolean(false), "Type": .uint32(2), "Percentage": .double(50)], .noBattery),
        (["IsPresent": .boolean(true), "Type": .uint32(0)], .noBattery),
        (["IsPresent": .boolean(true), "Type": .uint32(3), "State": .uint32(4)], .battery(level: nil, state: .full)),
        (
          ["IsPresent": .boolean(true), "Type": .uint32(2), "State": .string("1"), "Percentage": .double(101)],
          .battery(level: nil, state: .unknown)
        ),
        (
          ["IsPresent": .boolean(true), "Type": .uint32(2), "State": .uint32(2), "Percentage": .double(.nan)],
          .battery(level: nil, state: .unplugged)
        ),
        (
          ["IsPresent": .boolean(true), "Type": .uint32(2), "State": .uint32(2), "Percentage": .double(0)],
          .battery(level: 0, state: .unplugged)
        ),
      ] as [([String: DBusValue], BatteryReading)])
    func oddities(_ properties: [String: DBusValue], _ reading: BatteryReading) {
      #expect(UPower.reading(properties) == reading)
    }
  }
#endif
