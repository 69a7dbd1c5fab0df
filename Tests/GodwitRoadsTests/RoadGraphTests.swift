import Foundation
import GodwitModel
import TestTexts
import Testing

@testable import GodwitRoads

@Suite("The graph of roads")
struct RoadGraphTests {
  private func street(forward: Bool = true, backward: Bool = true) -> RoadAttributes {
    var street = RoadAttributes(kind: .street)
    street.open(to: .motor, forward: forward, backward: backward)
    return street
  }

  private func points(_ builder: inout RoadGraphBuilder, _ places: [(Double, Double)]) -> [UInt32] {
    places.compactMap { place in Coordinate(latitude: place.0, longitude: place.1).flatMap { builder.addPoint(RoadPoint($0)) } }
  }

  @Test("crossings, ends and changes of access are nodes; other points are shape points")
  func nodes() throws {
    var builder = RoadGraphBuilder()
    let at = points(&builder, [(0, 0), (0, 0.001), (0.0001, 0.002), (0, 0.003), (0, 0.004), (0.001, 0.003)])
    builder.addRoad(through: [at[0], at[1], at[2], at[3]], street())
    builder.addRoad(through: [at[3], at[4]], street(backward: false))
    builder.addRoad(through: [at[3], at[5]], street())
    let (graph, origins) = builder.build()
    #expect(graph.edgeCount == 3)
    #expect(Set(origins.nodes) == [at[0], at[3], at[4], at[5]])
    #expect(origins.shapePoints == [at[1], at[2]])
    let edges = (0..<3).map { RoadGraph.DirectedEdge(edge: $0, isReversed: false) }
    let long = try #require(edges.first { graph.points(of: $0).count == 4 })
    #expect(abs(graph.length(of: long) - 334) < 1)
    #expect(origins.points(of: long.opposite, in: graph) == origins.points(of: long, in: graph).reversed())
  }

  @Test("two roads of the same direction, one with its points in reverse, are one edge")
  func directions() {
    var builder = RoadGraphBuilder()
    let at = points(&builder, [(0, 0), (0, 0.001), (0, 0.002)])
    builder.addRoad(through: [at[0], at[1]], street(backward: false))
    builder.addRoad(through: [at[2], at[1]], street(forward: false))
    let (graph, origins) = builder.build()
    #expect(graph.edgeCount == 1)
    let edge = RoadGraph.DirectedEdge(
      edge: 0, isReversed: origins.points(of: .init(edge: 0, isReversed: false), in: graph)[0] != at[0])
    #expect(graph.isOpen(edge, to: .motor) && !graph.isOpen(edge.opposite, to: .motor) && !graph.isOpen(edge, to: .foot))
  }

  @Test("a ring without a crossing and a road of a thousand points are complete, in edges of at most 26 points")
  func longRoads() {
    var builder = RoadGraphBuilder()
    let angles = (0..<100).map { Double($0) * .pi / 50 }
    let ring = points(&builder, angles.map { (cos($0) / 100, sin($0) / 100) })
    let line = points(&builder, (0..<1000).map { (1, Double($0) / 1000) })
    builder.addRoad(through: ring + [ring[0]], street())
    builder.addRoad(through: line, street())
    let graph = builder.build().graph
    let edges = (0..<graph.edgeCount).map { RoadGraph.DirectedEdge(edge: $0, isReversed: false) }
    #expect(edges.allSatisfy { graph.points(of: $0).count <= 26 })
    #expect(edges.reduce(0) { $0 + graph.points(of: $1).count - 1 } == 100 + 999)
  }

  @Test("empty input, points without a road and roads with one point give an empty graph")
  func empty() throws {
    var builder = RoadGraphBuilder()
    let at = points(&builder, [(0, 0)])
    builder.addRoad(through: [at[0], at[0], 7], street())
    builder.addRoad(through: [], street())
    let graph = builder.build().graph
    #expect(graph.edgeCount == 0 && graph.nodeCount == 0)
    var matcher = RoadMatcher(graph, travel: .motor)
    try #expect(matcher.match([RoadFix(#require(Coordinate(latitude: 0, longitude: 0)), time: 0)]).isEmpty)
  }

  /// A graph of roads between random points around a place.
  private func randomGraph(around center: (Double, Double), _ random: inout SeededNumbers) -> RoadGraph {
    var builder = RoadGraphBuilder()
    let at = points(
      &builder,
      (0..<60).map { _ in
        var longitude = center.1 + .random(in: -0.02...0.02, using: &random)
        if longitude > 180 { longitude -= 360 }
        return (center.0 + .random(in: -0.01...0.01, using: &random), longitude)
      })
    for _ in 0..<90 {
      let path = (0..<Int.random(in: 2...5, using: &random)).map { _ in at[Int.random(in: at.indices, using: &random)] }
      builder.addRoad(through: path, street(backward: .random(using: &random)))
    }
    return builder.build().graph
  }

  @Test(
    "the grid finds every edge within a distance, also near a pole and across the 180th meridian",
    arguments: [0.0, 69.6, -89.98], [13.0, 180.0])
  func candidates(latitude: Double, longitude: Double) {
    var random = SeededNumbers(1)
    let graph = randomGraph(around: (latitude, longitude), &random)
    var found: [RoadCandidate] = []
    for _ in 0..<12 {
      let node = graph.nodes[Int.random(in: graph.nodes.indices, using: &random)]
      let near = LocalPlane(around: node).point(
        SIMD2(.random(in: -300...300, using: &random), .random(in: -300...300, using: &random)))
      let radius = Double.random(in: 10...400, using: &random)
      graph.candidates(near: near, travel: .motor, radius: radius, into: &found)
      // The expected distances are measured to points in short steps along each edge.
      let plane = LocalPlane(around: near)
      var expected: [UInt32: Double] = [:]
      for edge in 0..<graph.edgeCount {
        let positions = graph.points(of: .init(edge: edge, isReversed: false)).map { plane.position($0) }
        for (start, end) in zip(positions, positions.dropFirst()) {
          for step in 0...400 {
            let along: SIMD2<Double> = (end - start) * (Double(step) / 400)
            let position: SIMD2<Double> = start + along
            let distance = (position * position).sum().squareRoot()
            if distance < expected[UInt32(edge), default: .infinity] { expected[UInt32(edge)] = distance }
          }
        }
      }
      for (edge, distance) in expected where distance < radius - 10 {
        let candidate = found.first { $0.edge == edge }
        #expect(candidate.map { $0.distance <= distance + 0.001 && $0.distance > distance - 10 } == true)
      }
      #expect(found.allSatisfy { $0.distance <= radius && (expected[$0.edge] ?? 0) >= $0.distance - 0.001 })
      #expect(found.map(\.distance) == found.map(\.distance).sorted())
    }
  }

  @Test("a search finds the same lengths as the Bellman–Ford algorithm, up to its limit")
  func searches() throws {
    var random = SeededNumbers(2)
    for _ in 0..<20 {
      let graph = randomGraph(around: (45, 14), &random)
      var search = RoadSearch(graph, .motor, turn: 0)
      let start = UInt32.random(in: 0..<UInt32(graph.nodeCount), using: &random)
      let limit = Double.random(in: 500...5000, using: &random)
      var lengths = [Double](repeating: .infinity, count: graph.nodeCount)
      lengths[Int(start)] = 0
      for _ in 0..<graph.nodeCount {
        for raw in 0..<UInt32(graph.edgeCount * 2) {
          let edge = RoadGraph.DirectedEdge(raw: raw)
          guard graph.isOpen(edge, to: .motor) else { continue }
          let total = lengths[Int(graph.start(of: edge))] + graph.length(of: edge)
          if total < lengths[Int(graph.end(of: edge))] { lengths[Int(graph.end(of: edge))] = total }
        }
      }
      search.beginTargets()
      for node in 0..<UInt32(graph.nodeCount) { search.addTarget(node) }
      // With an arrival on a distant edge, no edge is excluded from the search.
      let distant = (0..<UInt32(graph.edgeCount * 2)).map(RoadGraph.DirectedEdge.init(raw:)).first {
        graph.start(of: $0) != start && graph.end(of: $0) != start
      }
      try search.run(from: start, arrival: #require(distant), limit: limit)
      for node in 0..<graph.nodeCount {
        let found = search.length(to: UInt32(node))
        #expect(lengths[node] > limit ? found == nil : found.map { abs($0 - lengths[node]) < 0.01 } ?? false)
        guard found != nil else { continue }
        let edges = search.edges(to: UInt32(node), from: start)
        #expect(abs(edges.reduce(0) { $0 + graph.length(of: $1) } - lengths[node]) < 0.01)
      }
    }
  }

  // MARK: Files

  @Test("a graph round-trips through a file; changed bytes, truncation and another version are reported")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roads-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var random = SeededNumbers(3)
    let graph = randomGraph(around: (45, 14), &random)
    let path = folder.path + "/roads"
    try graph.write(to: path)
    let again = try RoadGraph(path: path)
    #expect(again.edgeCount == graph.edgeCount && again.memory.bytes.elementsEqual(graph.memory.bytes))

    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    func error(_ bytes: Data) throws -> RoadGraphError? {
      try bytes.write(to: URL(fileURLWithPath: path))
      do throws(RoadGraphError) {
        _ = try RoadGraph(path: path)
        return nil
      } catch { return error }
    }
    for place in stride(from: 0, to: bytes.count, by: 97) {
      var damaged = bytes
      damaged[place] ^= 0x10
      // Bytes 40 to 63 are not used.
      #expect(try error(damaged) != nil || 40..<64 ~= place, "byte \(place)")
    }
    #expect(try error(bytes.dropLast()) == .damaged("it has \(bytes.count - 1) bytes instead of \(bytes.count)"))
    #expect(try error(Data()) == .notRoads)
    #expect(try error(Data(repeating: 7, count: 1000)) == .notRoads)
    var newer = bytes
    newer[8] = 9
    #expect(try error(newer) == .otherVersion(9))
    #expect(throws: RoadGraphError.self) { try RoadGraph(path: folder.path) }
    #expect(throws: RoadGraphError.self) { try RoadGraph(path: folder.path + "/missing") }
    #expect(throws: RoadGraphError.self) { try graph.write(to: folder.path + "/missing/roads") }
  }

  @Test("invalid values with a valid checksum are rejected or do not crash a search")
  func damagedNumbers() throws {
    var random = SeededNumbers(4)
    let graph = randomGraph(around: (45, 14), &random)
    var opened = 0
    for _ in 0..<1000 {
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: graph.byteCount, alignment: 16)
      bytes.copyMemory(from: graph.memory.bytes)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: RoadGraphHeader.size..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      var header = try RoadGraphHeader(graph.memory.bytes, size: graph.byteCount)
      header.checksum = RoadGraph.checksum(of: UnsafeRawBufferPointer(bytes))
      header.write(to: bytes)
      let memory = RoadMemory(UnsafeRawBufferPointer(bytes)) { UnsafeMutableRawBufferPointer(mutating: $0).deallocate() }
      guard let damaged = try? RoadGraph(memory) else { continue }
      opened += 1
      var matcher = RoadMatcher(damaged, travel: .motor)
      let fixes = graph.nodes.prefix(10).enumerated().compactMap { index, node in
        node.coordinate.map { RoadFix($0, time: Double(index) * 60) }
      }
      _ = matcher.match(fixes)
    }
    #expect(opened > 100)
  }
}
