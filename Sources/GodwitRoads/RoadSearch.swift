#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Finds the shortest paths from one node to several others within a distance, with turns counted as additional metres. A search
/// reuses the memory of the previous one.
struct RoadSearch: ~Copyable {
  private let graph: RoadGraph
  private let travel: Travel
  /// Metres by which turns lengthen a path, by their angle in 1/256 of a circle.
  private let turns: [Float]
  private let reached: ReachedNodes
  private var search: UInt32 = 0
  private var queue: [Waiting] = []
  private var targetSet: UInt32 = 0
  private var targetCount = 0

  private struct Waiting {
    var cost: Float
    var node: UInt32
  }

  /// - Parameter turn: Metres for a turn of 180°. A turn of 90° counts half of it.
  init(_ graph: RoadGraph, _ travel: Travel, turn: Double) {
    (self.graph, self.travel) = (graph, travel)
    turns = (0...255).map { Float(turn / 2 * (1 - cos(Double($0) / 128 * .pi))) }
    reached = ReachedNodes(count: graph.nodeCount)
  }

  /// Starts a new set of target nodes.
  mutating func beginTargets() {
    targetSet += 1
    targetCount = 0
  }

  /// Adds a node to the set of targets.
  mutating func addTarget(_ node: UInt32) {
    guard reached[node].targetSet != targetSet else { return }
    reached[node].targetSet = targetSet
    targetCount += 1
  }

  /// Finds the paths from a node to the targets within a limit in metres.
  /// - Parameter arrival: The directed edge that leads to the node. The search does not return on it, except at a dead end.
  mutating func run(from node: UInt32, arrival: RoadGraph.DirectedEdge, limit: Double) {
    search += 1
    queue.removeAll(keepingCapacity: true)
    reach(node, 0, 0, arrival.raw)
    var missing = targetCount
    while let next = pop() {
      let (cost, length, arrived) = (reached[next.node].cost, reached[next.node].length, reached[next.node].arrival)
      guard next.cost <= cost else { continue }
      if reached[next.node].targetSet == targetSet {
        missing -= 1
        guard missing > 0 else { return }
      }
      let direction = graph.edges[Int(arrived >> 1)].arrival(isReversed: arrived & 1 != 0)
      let leaving = graph.edgesLeaving(next.node)
      for raw in leaving where raw != arrived ^ 1 || leaving.count == 1 {
        let edge = graph.edges[Int(raw >> 1)]
        let isReversed = raw & 1 != 0
        guard RoadAttributes(bits: edge.attributes).isOpen(to: travel, reversed: isReversed) else { continue }
        let total = length + edge.length
        guard Double(total) <= limit else { continue }
        let turn = turns[Int(edge.departure(isReversed: isReversed) &- direction)]
        reach(isReversed ? edge.from : edge.to, cost + edge.length + turn, total, raw)
      }
    }
  }

  /// Returns the metres from the start of the last search; `nil` if the node was not reached.
  func length(to node: UInt32) -> Double? {
    reached[node].search == search ? Double(reached[node].length) : nil
  }

  /// Returns the last edge of the shortest path to a node that the last search reached.
  func arrival(at node: UInt32) -> RoadGraph.DirectedEdge { RoadGraph.DirectedEdge(raw: reached[node].arrival) }

  /// Returns the edges of the shortest path from the start of the last search.
  func edges(to end: UInt32, from start: UInt32) -> [RoadGraph.DirectedEdge] {
    var edges: [RoadGraph.DirectedEdge] = []
    var node = end
    while node != start, edges.count < graph.nodeCount {
      let edge = arrival(at: node)
      edges.append(edge)
      node = graph.start(of: edge)
    }
    return edges.reversed()
  }

  @inline(__always)
  private mutating func reach(_ node: UInt32, _ cost: Float, _ length: Float, _ arrival: UInt32) {
    if reached[node].search == search, reached[node].cost <= cost { return }
    reached[node].search = search
    reached[node].cost = cost
    reached[node].length = length
    reached[node].arrival = arrival
    push(Waiting(cost: cost, node: node))
  }

  private mutating func push(_ waiting: Waiting) {
    queue.append(waiting)
    var index = queue.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      guard queue[parent].cost > waiting.cost else { break }
      queue[index] = queue[parent]
      index = parent
    }
    queue[index] = waiting
  }

  private mutating func pop() -> Waiting? {
    guard let first = queue.first, let last = queue.popLast() else { return nil }
    guard !queue.isEmpty else { return first }
    var index = 0
    while true {
      var child = 2 * index + 1
      guard child < queue.count else { break }
      if child + 1 < queue.count, queue[child + 1].cost < queue[child].cost { child += 1 }
      guard queue[child].cost < last.cost else { break }
      queue[index] = queue[child]
      index = child
    }
    queue[index] = last
    return first
  }
}

/// State of the searches for each node. The memory is zero-filled, and the system allocates only the pages that searches use. A
/// search in a town therefore needs no more memory with the graph of a country than with that of the town.
private final class ReachedNodes {
  struct Node {
    /// Metres from the start of the search including turns and without them, the last edge, and the number of the search that wrote
    /// these values.
    var cost: Float
    var length: Float
    var arrival: UInt32
    var search: UInt32
    /// Number of the last set of targets that contains the node.
    var targetSet: UInt32
  }

  private let bytes: UnsafeMutableRawBufferPointer
  private let nodes: UnsafeMutablePointer<Node>

  init(count: Int) {
    // At most 2^31 nodes, because of RoadGraphBuilder.limit and the counts in a file.
    let size = max(1, count) * MemoryLayout<Node>.stride
    let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    if let address, address != MAP_FAILED {
      bytes = UnsafeMutableRawBufferPointer(start: address, count: size)
      nodes = address.bindMemory(to: Node.self, capacity: max(1, count))
    } else {
      // Same behaviour as for any other failed allocation of memory.
      fatalError("the system has no \(size) bytes of memory for a search on roads")
    }
  }

  deinit { munmap(bytes.baseAddress, bytes.count) }

  /// - Parameter node: Number of a node, validated when the graph was opened.
  @inline(__always)
  subscript(node: UInt32) -> Node {
    _read { yield nodes[Int(node)] }
    _modify { yield &nodes[Int(node)] }
  }
}
