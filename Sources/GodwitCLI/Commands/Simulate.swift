internal import Foundation
internal import Godwit
internal import GodwitModel

#if os(Linux)
  internal import GodwitPhone
  internal import GodwitSimulator
#endif

/// `godwit simulate`
struct Simulate: Command {
  static let name = "simulate"
  static let abstract = "Try location policies out on recorded days: what they cost in battery and what they miss."
  static let examples = [
    (
      line: "godwit simulate --route walk.gpx --policy always-best --policy adaptive",
      purpose: "Compare two policies on a recorded track"
    )
  ]

  @ManyOptions("route", "FILE|DIR", isNeeded: true, "A recorded track, or a folder with those of one person; several times")
  var routes: [String]
  @ManyOptions("policy", "NAME|FILE", "A policy, by its name or as a file of settings; several times")
  var policies: [String]

  func run() async throws {
    #if os(Linux)
      let routes = try routes.map { try Route(path: $0) }
      let policies = policies.map { name -> Simulation.Policy in
        var settings = Settings()
        switch name {
        case "always-best": settings.apply(.highResolution)
        case "battery-saving": settings.apply(.batterySaving)
        default: settings.apply(.adaptive)
        }
        return Simulation.Policy(name: name, settings: settings)
      }
      let simulation = Simulation(routes: routes, policies: policies)
      let rows = simulation.run { log, _ in
        let used = zip(EnergyPart.allCases, log.energy).filter { $0.0 != .standby }.map(\.1).reduce(.zero, +)
        return [
          log.route, log.day, log.policy, String(log.records.count), String(log.counts.wakes + log.counts.launches),
          String(Int(used.milliwattHours)),
        ]
      }
      Output.result(TextTable.text([["ROUTE", "DAY", "POLICY", "RECORDS", "WAKES", "MWH"]] + rows))
    #endif
  }
}
