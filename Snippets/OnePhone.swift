// The programs in Documentation/Simulator.md and Documentation/Reports.md. They are compiled with every build.
#if os(Linux)
  import Foundation
  import GodwitModel
  import GodwitPhone
  import GodwitSimulator

  func simulatePhone(along fixes: [Fix], settings: Settings) throws -> RunLog {
    // snippet.show
    var configuration = SimulatedPhone.Configuration(truth: try Truth(days: [fixes]))
    configuration.hazards = try HazardScript(text: "+9h kill")
    let phone = SimulatedPhone(configuration, tracker: TrackerApp(settings: settings), server: MemoryServer())
    phone.run(until: phone.now + 86_400)
    // snippet.hide
    return phone.finishLog(policy: "own", route: "day", day: "1")
  }

  func simulateWorld(along fixes: [Fix]) throws {
    // snippet.show
    var world = World(truth: try Truth(days: [fixes]), phone: .usual, seed: 42)
    world.startUpdating(.best)
    while let event = world.next(until: world.now + 3_600) {
      if case .position(let fix, let origin) = event { print(fix.coordinate, origin) }
    }
    print(world.account.used(until: world.now).joules, world.battery.level)
    // snippet.hide
  }

  func page(of log: RunLog, truth: Truth) -> [UInt8] {
    // snippet.show
    let run = MeasuredRun(log, truth: truth)
    let report = SimulationReport([run], version: "0.1.0")
    let page = report.html(drawings: [RunDrawing(log, truth: truth)])
    // snippet.hide
    return page
  }

  func printOptimum(of log: RunLog, truth: Truth) {
    // snippet.show
    if let optimum = OfflineOptimum(truth, from: log.start, to: log.end) {
      print(optimum.joules, optimum.lowerBound, optimum.measurements.count)
    }
    // snippet.hide
  }
#endif
