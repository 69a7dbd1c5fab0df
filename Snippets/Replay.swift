// The programs in Documentation/CoreLocation.md and Documentation/Sources.md. They are compiled with every build.
import CoreLocation
import Foundation

#if os(Linux)
  @MainActor
  final class LocationViewModel: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    override init() {
      super.init()
      manager.delegate = self
    }
  }

  @MainActor
  func replay() async {
    // snippet.show
    let daemon = LocationDaemon(source: ReplaySource(path: "walk.gpx", pace: .factor(60)))
    await daemon.serve {
      let model = LocationViewModel()  // creates its CLLocationManager() as on a phone
      await daemon.finished()
      // snippet.hide
      _ = model
      // snippet.show
    }
    // snippet.hide
  }

  func makeGeoClueManager() -> CLLocationManager {
    // snippet.show
    let daemon = LocationDaemon(source: GeoClueSource(desktopID: "org.example.boat"))
    let manager = CLLocationManager(daemon: daemon, queue: .main)
    // snippet.hide
    return manager
  }

  struct Program {
    static func main() { LocationDaemon.runMain { await run() } }
    @MainActor static func run() async { await replay() }
  }
#endif
