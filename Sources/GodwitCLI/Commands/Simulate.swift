internal import Foundation
internal import GodwitCommandLine
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore
internal import GodwitTrackerCommands

#if os(Linux)
  internal import GodwitPhone
  internal import GodwitSimulator
#endif

/// `godwit simulate`
struct Simulate: Command {
  static let name = "simulate"
  static let abstract = "Simulate location policies on recorded days: energy, and missed positions and stays."
  static let discussion = """
    Each day of each route is simulated once with each policy, on a simulated phone with the errors and costs of real radios, Apple's rules
    for apps, this project's tracker with its journal, its delivery and a server. The same seed gives the same figures on any
    machine, with any number of processors. Most energy values of current phones are assumed: compare policies, and
    read Documentation/Simulator.md before you rely on hours of battery.

    Policies: \(Policy.all.map { "\n  \($0.name): \($0.summary)" }.joined())
    """
  static let examples = [
    (
      line: "godwit simulate --route walk.gpx --policy always-best --policy adaptive",
      purpose: "Compare two policies on a recorded track"
    ),
    (
      line: "godwit simulate --route days/ --policy my.json --policy adaptive --report report.html",
      purpose: "Compare a file of settings with a policy, as a page with map and charts"
    ),
    (
      line: "godwit simulate --route days/ --system ios26 --hazards bad-day.txt --json",
      purpose: "Another system, with a script of faults, as JSON"
    ),
  ]

  @ManyOptions(
    "route", "FILE|DIR", isNeeded: true, "A recorded track (GPX, PLT, NMEA), or a folder of one person's tracks; may be repeated")
  var routes: [String]
  @ManyOptions(
    "policy", "NAME|FILE.json",
    "A policy by its name, or a file of settings; may be repeated (default: always-best, adaptive, battery-saving)")
  var policies: [String]
  @Option(
    "phone", "NAME", default: "phone-2023", shown: "phone-2023",
    "Energy model: phone-2023, pixel-7, pixel-8-pro, iphone-6, nexus-6, lte-2012 or legacy-n95")
  var phone: String
  @Option("system", "NAME", default: "ios18", shown: "ios18", "System to simulate: ios12 to ios18, ios15.3, ios26, or linux")
  var system: String
  @Option(
    "motion-chip", "NAME", default: "ideal", shown: "ideal",
    "Motion chip: ideal, or the recorded errors of ios-2014 or android-2014")
  var motionChip: String
  @Option("seed", "N", default: 1, shown: "1", "Seed of the random source")
  var seed: Int
  @OptionalOption(
    "hazards", "FILE", "Script of faults, from the beginning of each day; see Documentation/Simulator.md")
  var hazards: String?
  @ManyOptions("scale", "NUMBER=FACTOR", "Factor for a part of the energy model, such as satellites=2; may be repeated")
  var scales: [String]
  @ManyOptions(
    "report", "FILE",
    "Also write a report: .html for a page with map and charts, .json for the figures; may be "
      + "repeated")
  var reports: [String]
  @OptionalOption(
    "data", "DIR",
    "Also write the records into the store of a server, one device for each policy; godwit "
      + "serve shows them")
  var data: String?
  @OptionalOption("processors", "N", "Days simulated in parallel (default: the number of processors)")
  var processors: Int?
  @Flag("optimum", "Also compare each policy with the schedule of least energy on a day that is known in advance")
  var optimum: Bool
  @Flag("json", "Print the figures as JSON")
  var json: Bool

  func run() async throws {
    #if os(Linux)
      var simulation = try simulation()
      let server = try connect(&simulation)
      defer { server?.close() }
      if let other = reports.first(where: { !$0.hasSuffix(".html") && !$0.hasSuffix(".json") }) {
        throw UsageError("godwit simulate: --report \(other): the name of a report ends in .html or .json.")
      }
      let wantsPage = reports.contains { $0.hasSuffix(".html") }
      let count = simulation.runs.count
      let battery = simulation.phone.energy(.battery)
      let results = simulation.run(processors: processors) { done in
        Output.progress("\(done) of \(count) days simulated")
      } result: { log, run in
        (
          MeasuredRun(log, truth: run.route.truth, battery: battery), wantsPage ? RunDrawing(log, truth: run.route.truth) : nil
        )
      }
      let optima = optima(simulation)
      Output.endProgress()
      let report = SimulationReport(results.map(\.0), optima: optima, version: Version.current)
      for path in reports {
        let bytes = path.hasSuffix(".html") ? report.html(drawings: results.compactMap(\.1)) : try report.json()
        do { try Data(bytes).write(to: URL(fileURLWithPath: path)) } catch {
          throw Failure("\(path) cannot be written: \(error.localizedDescription)")
        }
        Output.log("Wrote \(path)")
      }
      Output.result(json ? try report.json() : Array(report.table().utf8))
    #else
      throw Failure("godwit simulate runs on Linux: the simulated phone uses this project's Core Location.")
    #endif
  }

  #if os(Linux)
    private func simulation() throws -> Simulation {
      let routes = try Route.reading(routes)
      let names = policies.isEmpty ? ["always-best", "adaptive", "battery-saving"] : policies
      var simulation = Simulation(routes: routes, policies: try names.map(PolicyArgument.read))
      guard let known = PhoneProfile.named(phone) else {
        let names = PhoneProfile.all.map(\.name).joined(separator: ", ")
        throw UsageError("godwit simulate: --phone: there is no phone \"\(phone)\"; expected one of \(names)")
      }
      simulation.phone = known
      for scale in scales { simulation.phone = try scaled(simulation.phone, scale) }
      guard let version = SystemVersion(rawValue: system) else {
        let names = SystemVersion.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("godwit simulate: --system: there is no system \"\(system)\"; expected one of \(names)")
      }
      simulation.system = version
      if motionChip != "ideal" {
        guard let chip = MotionChipModel.named(motionChip) else {
          let names = (["ideal"] + MotionChipModel.all.map(\.name)).joined(separator: ", ")
          throw UsageError("godwit simulate: --motion-chip: there is no chip \"\(motionChip)\"; expected one of \(names)")
        }
        simulation.motionChip = chip
      }
      simulation.seed = UInt64(seed)
      if let hazards {
        let text: String
        do { text = try String(contentsOfFile: hazards, encoding: .utf8) } catch {
          throw Failure("\(hazards) cannot be read: \(error.localizedDescription)")
        }
        do throws(HazardScript.ScriptError) { simulation.hazards = try HazardScript(text: text) } catch {
          throw Failure("\(hazards): \(error)")
        }
      }
      return simulation
    }

    private func optima(_ simulation: Simulation) -> [OptimumOfDay] {
      guard optimum else { return [] }
      let kinds: [OptimumRules.Waiting] = [.asleep, .watching]
      let count = kinds.count * simulation.routes.reduce(0) { $0 + $1.days.count }
      return simulation.optima(kinds, processors: processors) { Output.progress("\($0) of \(count) optima computed") }
    }

    /// The real server behind the phones, where a folder is named.
    private func connect(_ simulation: inout Simulation) throws -> LocalServer? {
      guard let data else { return nil }
      if let bad = simulation.policies.first(where: { !Device.isValid(name: $0.name) }) {
        throw UsageError("godwit simulate: --data: \"\(bad.name)\" is not a valid device name; name the policy's file otherwise.")
      }
      guard let unreachable = ListenAddress("127.0.0.1:0") else { return nil }
      let local = LocalServer(try Server(configuration: .init(listen: unreachable, dataFolder: data)))
      var devices: [String: StoreServer] = [:]
      for policy in simulation.policies {
        devices[policy.name] = try StoreServer(local, folder: data, device: policy.name)
      }
      // There is one for each policy.
      simulation.server = { [devices] (run) -> any SimulatedServer in
        if let device = devices[run.policy.name] { return device }
        return MemoryServer()
      }
      return local
    }

    /// Minimum factor of a number that must be above 0.
    private static let minimumFactor = 0.001

    private func scaled(_ phone: PhoneProfile, _ scale: String) throws -> PhoneProfile {
      let parts = scale.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, let number = PhoneProfile.Number(rawValue: parts[0]), let factor = Double(parts[1]),
        (0...1000).contains(factor)
      else {
        let names = PhoneProfile.Number.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("godwit simulate: --scale \(scale): write NUMBER=FACTOR, such as satellites=0.5; numbers: \(names)")
      }
      // The products are intervals and divisors: zero would need an endless number of steps.
      guard !number.mustBePositive || factor >= Self.minimumFactor else {
        throw UsageError(
          "godwit simulate: --scale \(scale): \(number.rawValue) must stay above 0; expected a factor of 0.001 to 1000")
      }
      return phone.with(number, phone[number] * factor)
    }
  #endif
}
