import Foundation
import Godwit
import WalkTracker

@main
struct Walk {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    guard let server = environment["WALK_SERVER"].flatMap(URL.init(string:)), let token = environment["WALK_TOKEN"] else {
      print("Set WALK_SERVER to the address of a Godwit server's /api/overland, and WALK_TOKEN to the token of this device.")
      return
    }
    let configuration = walkConfiguration(
      in: URL(fileURLWithPath: FileManager.default.currentDirectoryPath), server: server, token: token)
    let tracker = try walkTracker(configuration: configuration)
    let statuses = tracker.statuses
    Task {
      for await status in statuses {
        print("waiting: \(status.waiting)  \(status.locationProblem ?? status.journalProblem ?? "")")
      }
    }
    tracker.startTracking()
    try await tracker.run()
  }
}
