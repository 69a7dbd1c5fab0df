internal import CReadOSM
internal import GodwitModel
package import GodwitRoads

/// Why an extract of OpenStreetMap cannot be used.
package struct RoadExtractError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String
}

/// Reads the roads of extracts of OpenStreetMap, PBF or XML, with libreadosm.
///
/// Each file is read twice: first its roads, then the positions that they need. So only positions of roads are kept: 16 bytes for each
/// of them, and 8 for each place where a road has one.
package struct RoadExtractReader {
  /// What was read.
  package struct Counts: Sendable, Hashable {
    package var roads = 0
    package var positions = 0
    /// Positions that roads name, and the extracts do not have: roads are cut at the edge of an extract.
    package var missing = 0

    package init(roads: Int = 0, positions: Int = 0, missing: Int = 0) {
      (self.roads, self.positions, self.missing) = (roads, positions, missing)
    }
  }

  private let paths: [String]

  /// - Parameter paths: Names that end in `.osm.pbf`, `.pbf` or `.osm`. A road that several of them have is used once.
  package init(_ paths: [String]) { self.paths = paths }

  /// Reads the files.
  /// - Parameter progress: Called with each file before each of its two readings.
  /// - Throws: ``RoadExtractError`` that names the file and what is wrong with it.
  package func read(progress: (String) -> Void = { _ in }) throws(RoadExtractError) -> (RoadGraphBuilder, Counts) {
    let roads = ExtractRoads(hasSeveralFiles: paths.count > 1)
    for path in paths {
      progress(path)
      try parse(path, roads, nil) { user, way in
        guard let user, let way else { return READOSM_ABORT }
        Unmanaged<ExtractRoads>.fromOpaque(user).takeUnretainedValue().add(way.pointee)
        return READOSM_OK
      }
    }
    guard roads.count > 0 else {
      let place = paths.count == 1 ? paths[0] : "the \(paths.count) files"
      throw RoadExtractError(description: "\(place): there is no road in it")
    }
    let positions = ExtractPositions(roads)
    for path in paths {
      progress(path)
      try parse(
        path, positions,
        { user, node in
          guard let user, let node else { return READOSM_ABORT }
          Unmanaged<ExtractPositions>.fromOpaque(user).takeUnretainedValue().add(node.pointee)
          return READOSM_OK
        }, nil)
    }
    return try builder(roads, positions)
  }

  private func builder(
    _ roads: ExtractRoads, _ positions: ExtractPositions
  ) throws(RoadExtractError) -> (RoadGraphBuilder, Counts) {
    var builder = RoadGraphBuilder()
    var counts = Counts(roads: roads.count)
    var numbers = [UInt32](repeating: .max, count: positions.ids.count)
    for (index, point) in positions.points.enumerated() {
      guard let point else {
        counts.missing += 1
        continue
      }
      guard let number = builder.addPoint(point) else {
        throw RoadExtractError(description: "the roads have more than \(RoadGraphBuilder.limit) positions; use a smaller extract")
      }
      numbers[index] = number
      counts.positions += 1
    }
    for (attributes, ids) in roads {
      // A road is cut where a position is missing.
      var path: [UInt32] = []
      for id in ids {
        let number = positions.index(of: id).map { numbers[$0] } ?? .max
        if number != .max {
          path.append(number)
        } else {
          builder.addRoad(through: path, attributes)
          path.removeAll(keepingCapacity: true)
        }
      }
      builder.addRoad(through: path, attributes)
    }
    return (builder, counts)
  }

  /// Reads a file.
  /// - Parameter receiver: The object that the functions get.
  private func parse(
    _ path: String, _ receiver: AnyObject, _ node: readosm_node_callback?, _ way: readosm_way_callback?
  ) throws(RoadExtractError) {
    var handle: UnsafeRawPointer?
    var status = readosm_open(path, &handle)
    defer { if let handle { readosm_close(handle) } }
    if status == READOSM_OK {
      status = withExtendedLifetime(receiver) {
        readosm_parse(handle, Unmanaged.passUnretained(receiver).toOpaque(), node, way, nil)
      }
    }
    guard status == READOSM_OK else { throw RoadExtractError(description: "\(path): \(Self.reason(status))") }
  }

  private static func reason(_ status: Int32) -> String {
    switch status {
    case READOSM_INVALID_SUFFIX: "the name must end in .osm.pbf, .pbf or .osm; unpack other files before"
    case READOSM_FILE_NOT_FOUND: "the file cannot be opened"
    case READOSM_INSUFFICIENT_MEMORY: "there is not enough memory; use a smaller extract"
    case READOSM_READ_ERROR: "the file cannot be read to its end; get it again"
    case READOSM_XML_ERROR, READOSM_CREATE_XML_PARSER_ERROR: "the file is not OpenStreetMap XML"
    case READOSM_INVALID_PBF_HEADER: "the file is not OpenStreetMap PBF, or is damaged; get it again"
    case READOSM_UNZIP_ERROR: "a block is damaged or is not packed with zlib; get it again"
    default: "libreadosm fails with \(status)"
    }
  }
}

/// The roads of extracts: attributes, and the ids of the positions one after the other.
private final class ExtractRoads: Sequence {
  private var attributes: [RoadAttributes] = []
  /// Where the ids of each road begin, and at the end their number.
  private var starts: [Int] = [0]
  private(set) var ids: [Int64] = []
  /// The ids of roads, where several files may have the same.
  private var known: Set<Int64>?

  init(hasSeveralFiles: Bool) { known = hasSeveralFiles ? [] : nil }

  var count: Int { attributes.count }

  func add(_ way: readosm_way) {
    guard way.node_ref_count > 1, let refs = way.node_refs, way.tag_count > 0, let list = way.tags else { return }
    var tags = RoadTags()
    for tag in UnsafeBufferPointer(start: list, count: Int(way.tag_count)) {
      if let key = tag.key, let value = tag.value { tags.set(String(cString: key), String(cString: value)) }
    }
    guard let road = tags.attributes, known?.insert(way.id).inserted ?? true else { return }
    attributes.append(road)
    ids += UnsafeBufferPointer(start: refs, count: Int(way.node_ref_count))
    starts.append(ids.count)
  }

  func makeIterator() -> AnyIterator<(RoadAttributes, ArraySlice<Int64>)> {
    var index = 0
    return AnyIterator {
      guard index < self.attributes.count else { return nil }
      defer { index += 1 }
      return (self.attributes[index], self.ids[self.starts[index]..<self.starts[index + 1]])
    }
  }
}

/// The positions that roads need, by their ids.
private final class ExtractPositions {
  /// Sorted.
  let ids: [Int64]
  private(set) var points: [RoadPoint?]
  /// The place of the id after the last one that was found: files list positions by their ids.
  private var next = 0

  init(_ roads: ExtractRoads) {
    var sorted = roads.ids
    sorted.sort()
    var count = 0
    for id in sorted where count == 0 || sorted[count - 1] != id {
      sorted[count] = id
      count += 1
    }
    sorted.removeSubrange(count...)
    ids = sorted
    points = [RoadPoint?](repeating: nil, count: count)
  }

  func add(_ node: readosm_node) {
    guard let index = next < ids.count && ids[next] == node.id ? next : index(of: node.id) else { return }
    next = index + 1
    points[index] = Coordinate(latitude: node.latitude, longitude: node.longitude).map { RoadPoint($0) }
  }

  func index(of id: Int64) -> Int? {
    let index = ids.partitioningIndex { $0 >= id }
    return index < ids.count && ids[index] == id ? index : nil
  }
}
