import Foundation
import GodwitModel
import GodwitRoadExtracts
import TestTexts
import Testing

@testable import GodwitRoads

@Suite("Roads of OpenStreetMap extracts")
struct RoadExtractTests {
  /// A small town: a street to the north with a crossing, a one-way street to the east, a building, and a path with a missing position.
  private static let xml = """
    <?xml version="1.0" encoding="UTF-8"?>
    <osm version="0.6">
      <node id="1" version="1" lat="46.5000000" lon="15.6000000"/>
      <node id="2" version="1" lat="46.5009000" lon="15.6000000"/>
      <node id="3" version="1" lat="46.5018000" lon="15.6000000"/>
      <node id="4" version="1" lat="46.5009000" lon="15.6013000"/>
      <node id="5" version="1" lat="46.5009000" lon="15.6026000"/>
      <node id="6" version="1" lat="46.6000000" lon="15.7000000"><tag k="highway" v="bus_stop"/></node>
      <way id="10" version="1"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="residential"/><tag k="name" v="Long Street"/></way>
      <way id="11" version="1"><nd ref="2"/><nd ref="4"/><nd ref="5"/><tag k="highway" v="tertiary"/><tag k="oneway" v="yes"/></way>
      <way id="12" version="1"><nd ref="5"/><nd ref="4"/><nd ref="2"/><tag k="building" v="yes"/></way>
      <way id="13" version="1"><nd ref="3"/><nd ref="999"/><nd ref="1"/><tag k="highway" v="footway"/></way>
    </osm>
    """

  /// The same town as PBF, written by libosmium 2.19.
  private static let pbf = """
    AAAADQoJT1NNSGVhZGVyGDsQLxo3eJxT4vMvzg1OzkjNTdQNM9AzU+JySc0rTvXLT0ktbmIUyMlMyi/OzSzN1TfSMzLWMwQAX2cOkwAAAAsKB09TTURhdGEYbBB/Gmh4nOMS52IAQvaM
    zPSM8sRKLo6k0uL44pL8AqEUoSQuNiYw0NLgYmMEAyE2BjCQgtJKUFqLjQlMOwk13Ny1m/lCDyMQne9hZNjwp8JLoOHPoymMDAwTTjMC0YNPZUEcYMVMzAwAopcaxAAAAAwKB09TTURh
    dGEYowEQzQEanQF4nF3LvQrCMBRA4dyb/sRbpZJJ41KcfA5nNwfnitc2UBNII9I3FHwp41jn7xy6kKCyt13/aifKXPtgqgKP9sYu2nag6uRd15xjYI4pLbzjX6kih+RhIjnxSOr6tMPN
    uo7Ku/cxFTqYnSKNgAZlticFa7ERjTjkR4mICauEhcFSzTHL0GzVUsPCwB8RyPStNIABmlFevOtP/QX5VyQ8
    """

  private static func with(_ files: [String: Data], _ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-roads-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, bytes) in files { try bytes.write(to: folder.appendingPathComponent(name)) }
    try body(folder.path)
  }

  private static var files: [String: Data] {
    get throws {
      let bytes = try #require(Data(base64Encoded: pbf, options: .ignoreUnknownCharacters))
      return ["town.osm": Data(xml.utf8), "town.osm.pbf": bytes, "second.osm": Data(xml.utf8)]
    }
  }

  @Test(
    "roads are connected at shared positions, and end where the extract lacks a position",
    arguments: [["town.osm"], ["town.osm.pbf"], ["town.osm", "town.osm.pbf"], ["town.osm", "second.osm"]])
  func roads(names: [String]) throws {
    try Self.with(Self.files) { folder in
      let (builder, counts) = try RoadExtractReader(names.map { "\(folder)/\($0)" }).read()
      #expect(counts == RoadExtractReader.Counts(roads: 3, positions: 5, missing: 1))
      let graph = builder.build().graph
      // Two halves of the long street, and the one-way street. The path has no two consecutive positions.
      #expect(graph.edgeCount == 3 && graph.nodeCount == 4)
      let lengths = graph.edges.map { ($0.length / 10).rounded() * 10 }.sorted()
      #expect(lengths == [100, 100, 200])
      let long = try #require(graph.edges.indices.first { graph.edges[$0].length > 150 })
      let edge = RoadGraph.DirectedEdge(edge: long, isReversed: false)
      #expect(graph.isOpen(edge, to: .motor) != graph.isOpen(edge.opposite, to: .motor))
      #expect(graph.isOpen(edge, to: .foot) && graph.isOpen(edge.opposite, to: .foot))
    }
  }

  @Test("the railways of an extract are evidence for their kind, and disused ones are not")
  func rails() throws {
    let nodes = (0...9).map { #"<node id="\#($0 + 1)" version="1" lat="46.5" lon="15.6\#($0)"/>"# }.joined()
    let refs = (1...10).map { #"<nd ref="\#($0)"/>"# }.joined()
    for (value, expected) in [
      ("rail", [true, false, false]), ("subway", [false, true, false]), ("tram", [false, false, true]),
      ("light_rail", [true, false, false]),
    ] {
      let railway = #"<way id="10" version="1">\#(refs)<tag k="railway" v="\#(value)"/></way>"#
      let disused = #"<way id="11" version="1">\#(refs)<tag k="railway" v="abandoned"/></way>"#
      try Self.with(["line.osm": Data(#"<osm version="0.6">\#(nodes)\#(railway)\#(disused)</osm>"#.utf8)]) { folder in
        let (builder, counts) = try RoadExtractReader(["\(folder)/line.osm"]).read()
        #expect(counts.roads == 1)
        let fixes = try [15.62, 15.64, 15.66].map { RoadFix(try #require(Coordinate(latitude: 46.5, longitude: $0)), time: $0) }
        let evidence = builder.build().graph.railEvidence(of: fixes)
        #expect([evidence.train > 2, evidence.subway > 2, evidence.tram > 2] == expected, "\(value)")
      }
    }
  }

  @Test(
    "a file that cannot be used is rejected with its path and the reason",
    arguments: [
      ("none.osm.pbf", "cannot be opened"), ("text.osm", "not OpenStreetMap XML"), ("text.pbf", "not OpenStreetMap PBF"),
      ("text.osm.gz", "must end in .osm.pbf"), ("cut.osm.pbf", "damaged"), ("empty.osm", "no road"),
    ])
  func errors(name: String, reason: String) throws {
    var files = try Self.files
    let cut = try #require(files["town.osm.pbf"]).dropLast(40)
    for name in ["text.osm", "text.pbf", "text.osm.gz"] { files[name] = Data("This is a text.".utf8) }
    files["cut.osm.pbf"] = Data(cut)
    files["empty.osm"] = Data(#"<osm version="0.6"><node id="1" lat="1" lon="2"/></osm>"#.utf8)
    try Self.with(files) { folder in
      let error = #expect(throws: RoadExtractError.self) { try RoadExtractReader(["\(folder)/\(name)"]).read() }
      let text = error.map { "\($0)" } ?? ""
      #expect(text.contains("\(folder)/\(name): ") && text.contains(reason), "\(text)")
    }
  }

  @Test("a damaged extract is rejected or read, and does not crash the reader", arguments: ["town.osm", "town.osm.pbf"])
  func damage(name: String) throws {
    let bytes = [UInt8](try #require(Self.files[name]))
    var random = SeededNumbers(6)
    var read = 0
    for _ in 0..<300 {
      var changed = bytes
      changed[.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      try Self.with([name: Data(changed)]) { folder in
        guard let (builder, _) = try? RoadExtractReader(["\(folder)/\(name)"]).read() else { return }
        read += 1
        _ = builder.build()
      }
    }
    #expect(read > 0)
  }
}
