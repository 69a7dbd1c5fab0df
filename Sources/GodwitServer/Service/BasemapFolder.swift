internal import Foundation
internal import GodwitTiles

/// Finds the base map: the file of `--basemap`, or the first `*.pmtiles` in the data folder, `basemap.pmtiles` before others.
///
/// A replaced file is opened again. A file that is still being copied is tried again after it changes, and at growing intervals.
final class BasemapFolder: Sendable {
  private let file: ConfiguredFile
  private let basemaps: Basemaps

  init(path: String?, dataFolder: String, basemaps: Basemaps) {
    file = ConfiguredFile(path: path, folder: dataFolder, suffix: ".pmtiles", preferred: "basemap.pmtiles")
    self.basemaps = basemaps
  }

  /// Opens the file when the server starts.
  /// - Throws: ``BasemapError`` if the file of `--basemap` cannot be used. An unusable file in the data folder is only reported.
  func open(_ notices: (String) -> Void) throws(BasemapError) {
    guard let path = file.path else { return refresh(notices) }
    guard case .found(let stamp) = file.check() else { throw BasemapError(path: path, reason: .unreadable("No such file")) }
    basemaps.use(try Self.map(stamp))
  }

  /// Opens a new or changed file. Blocks the thread.
  func refresh(_ notices: (String) -> Void) {
    switch file.check() {
    case .none: break
    case .gone:
      basemaps.use(nil)
      notices("The base map is gone; the pages show the built-in world.")
    case .found(let stamp):
      do throws(BasemapError) {
        basemaps.use(try Self.map(stamp))
        notices("Base map: \(stamp.path)")
      } catch {
        if file.failed("\(error)") { notices("\(error)") }
      }
    }
  }

  private static func map(_ stamp: ConfiguredFile.Stamp) throws(BasemapError) -> Basemaps.OwnMap {
    do throws(TileArchiveError) {
      let archive = try TileArchive(FileBytes(path: stamp.path))
      let seconds = Int64(exactly: stamp.modified.timeIntervalSince1970.rounded()) ?? 0
      return Basemaps.OwnMap(archive: archive, version: String(stamp.size, radix: 36) + "-" + String(seconds, radix: 36))
    } catch {
      throw BasemapError(path: stamp.path, reason: error)
    }
  }
}

/// A file that cannot be used as the base map.
struct BasemapError: Error, CustomStringConvertible {
  let path: String
  let reason: TileArchiveError

  var description: String { "The base map \(path) cannot be used: \(reason). Get one as Documentation/Map.md describes." }
}
