internal import Foundation
internal import GodwitCommandLine
internal import GodwitModel
internal import GodwitRoadExtracts
internal import GodwitRoads

/// `godwit roads`
struct RoadsCommand: Command {
  static let name = "roads"
  static let abstract = "Make a file of roads from extracts of OpenStreetMap."
  static let discussion = """
    With roads, a server shows trips along roads, measures their distances along roads and finds trains by their rails; points are not changed. Put the file into the
    data folder, or name it with --roads; a running server finds it within seconds and computes its trips again.

    Extracts are files of any map server, such as https://download.geofabrik.de: .osm.pbf, or .osm. The roads are © OpenStreetMap contributors,
    under the Open Database License. A country of two million roads needs some 4 GB of memory, which may be on another machine.
    """
  static let examples = [
    (
      line: "godwit roads slovenia-latest.osm.pbf --output /var/lib/godwit/slovenia.roads",
      purpose: "For the server of this machine"
    ),
    (
      line: "godwit roads slovenia-latest.osm.pbf croatia-latest.osm.pbf --output home.roads",
      purpose: "Two countries in one file"
    ),
  ]

  @Operands("EXTRACT…", 1...64, "Files .osm.pbf or .osm")
  var extracts: [String]
  @Option("output", "FILE", "The file to write; a server looks for the suffix .roads")
  var output: String

  func run() async throws {
    let (graph, counts) = try read()
    do throws(RoadGraphError) { try graph.write(to: output) } catch { throw Failure("\(output) cannot be written: \(error)") }
    let size = (Double(graph.byteCount) / 1e5).rounded() / 10
    Output.result(
      "\(output): roads: \(counts.roads.grouped); parts between crossings: \(graph.edgeCount.grouped); \(size) MB.\n")
    if counts.missing > 0 {
      let positions = counts.missing.counted("position of a road is", "positions of roads are")
      Output.log("\(positions) not in the extract; such a road ends at its edge.")
    }
  }

  private func read() throws -> (RoadGraph, RoadExtractReader.Counts) {
    var files = 0
    do throws(RoadExtractError) {
      let (builder, counts) = try RoadExtractReader(extracts).read { path in
        files += 1
        Output.progress("\(path): \(files <= extracts.count ? "roads" : "positions")")
      }
      Output.progress("Connecting \(counts.roads.counted("road"))")
      let graph = builder.build().graph
      Output.endProgress()
      return (graph, counts)
    } catch {
      Output.endProgress()
      throw Failure("\(error).")
    }
  }
}
