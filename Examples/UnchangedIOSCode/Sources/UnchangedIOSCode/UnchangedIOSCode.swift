// Replays a recorded walk to the app's model, and prints what its screen would show at the end. An app's code needs only this file
// to run on Linux; a test needs the same lines.
#if os(Linux)
  import CoreLocation
  import Synchronization

  @main
  struct UnchangedIOSCode {
    // Not `async`: the model checks that it is on the main thread, where runMain puts it.
    static func main() { LocationDaemon.runMain { await run() } }

    @MainActor
    private static func run() async {
      let arguments = CommandLine.arguments.dropFirst()
      guard let file = arguments.first, arguments.count == 1, !file.hasPrefix("-") else {
        FileHandle.standardError.write(Data("usage: UnchangedIOSCode WALK.gpx\n".utf8))
        exit(2)
      }
      let problem = Mutex<String?>(nil)
      let walk = ReplaySource(path: file, pace: .unpaced(most: 1, digested: {})) { report in
        problem.withLock { $0 = report.problem }
      }
      let daemon = LocationDaemon(source: walk)
      let model = await daemon.serve {
        let model = WalkModel()
        model.start()
        await daemon.finished()
        return model
      }
      if let problem = problem.withLock({ $0 }) {
        FileHandle.standardError.write(Data("UnchangedIOSCode: \(problem)\n".utf8))
        exit(1)
      }
      show(model)
    }

    @MainActor
    private static func show(_ model: WalkModel) {
      guard let began = model.began, let latest = model.latest else { return print(model.message) }
      let minutes = Int(latest.timeIntervalSince(began) / 60)
      print("\(model.message): \(Int(model.distance)) m in \(minutes) min, \(Int(model.climb)) m upwards")
      print("Points: \(model.path.count), simulated: \(model.isSimulated)")
      print("Rests: \(model.rests.count)")
      print("Left the start: \(model.departures) times, is there now: \(model.isNearStart)")
    }
  }
#elseif canImport(SwiftUI)
  import SwiftUI

  @main
  struct UnchangedIOSCode: App {
    @State private var model = WalkModel()

    var body: some Scene {
      WindowGroup {
        VStack {
          Text(model.message)
          Text("\(Int(model.distance)) m, \(Int(model.climb)) m upwards")
          Button(model.isWalking ? "Stop" : "Start") { if model.isWalking { model.stop() } else { model.start() } }
        }
      }
    }
  }
#endif
