public import GodwitModel
public import GodwitText

/// One answer of the sync: what changed in a device's regions after a cursor, in the order of the revisions.
///
///     {"epoch":"9f3c","nodes":[{"id":"home",…,"revision":17},{"id":"x","deleted":true,"revision":18}],
///      "pageInfo":{"endCursor":"18","hasNextPage":false},"digest":"…32 hex…","count":5000}
public struct RegionPage: Sendable, Hashable {
  public enum Node: Sendable, Hashable {
    /// A region as it is since that revision.
    case region(Region, revision: Int64)
    /// What was deleted, or taken from the device, at that revision.
    case deleted(id: String, revision: Int64)

    public var id: String {
      switch self {
      case .region(let region, _): region.id
      case .deleted(let id, _): id
      }
    }

    public var revision: Int64 {
      switch self {
      case .region(_, let revision), .deleted(_, let revision): revision
      }
    }
  }

  /// Names the server's history; a cursor of another one means nothing.
  public var epoch: String
  public var nodes: [Node]
  /// Where the next request goes on; `nil` where there is nothing yet.
  public var endCursor: String?
  public var hasNextPage: Bool
  /// Of all regions that the device has after the last page: 32 hexadecimal digits.
  public var digest: String?
  /// How many regions these are.
  public var count: Int?
  /// Whether the pages begin from nothing: what the device has is not continued.
  public var reset: Bool
  /// Of regions with members that are not known here, by id: their text as the server wrote it, without the revision. The server
  /// has made its digest of that.
  public var texts: [String: [UInt8]]

  /// - Parameters:
  ///   - epoch: of the server's history.
  ///   - nodes: what changed.
  ///   - endCursor: where the next request goes on.
  ///   - hasNextPage: whether there is more.
  ///   - digest: of all regions that the device has after the last page.
  ///   - count: how many these are.
  ///   - reset: whether the pages begin from nothing.
  ///   - texts: of regions with members that are not known here.
  public init(
    epoch: String, nodes: [Node] = [], endCursor: String? = nil, hasNextPage: Bool = false, digest: String? = nil,
    count: Int? = nil, reset: Bool = false, texts: [String: [UInt8]] = [:]
  ) {
    self.epoch = epoch
    self.nodes = nodes
    self.endCursor = endCursor
    self.hasNextPage = hasNextPage
    self.digest = digest
    self.count = count
    self.reset = reset
    self.texts = texts
  }

  /// Reads an answer. Members that are not known are skipped everywhere, so that a newer server can be understood.
  /// - Parameters:
  ///   - bytes: the whole text.
  ///   - limits: how much there may be.
  /// - Throws: `FormatError` with the byte and the path: `nodes[17].radius`.
  public static func read(
    _ bytes: consuming [UInt8], limits: RegionFileLimits = RegionFileLimits()
  ) throws(FormatError) -> RegionPage {
    try limits.check(bytes, format: RegionJSON.format)
    return try JSONDocument(bytes, format: RegionJSON.format).read { (json) throws(JSONReader.Fault) in
      var reader = RegionPageReader(limits: limits)
      return try reader.page(from: &json)
    }
  }

  /// Appends the whole page. Where nodes come one after another, as from a store, ``RegionPageWriter`` writes the same.
  /// - Parameter bytes: what it is appended to.
  public func write(into bytes: inout [UInt8]) {
    var writer = RegionPageWriter(epoch: epoch, reset: reset, into: &bytes)
    for node in nodes {
      if case .region(let region, let revision) = node, let text = texts[region.id] {
        writer.append(canonical: text, revision: revision, into: &bytes)
      } else {
        writer.append(node, into: &bytes)
      }
    }
    writer.finish(endCursor: endCursor, hasNextPage: hasNextPage, digest: digest, count: count, into: &bytes)
  }
}

/// Writes a page node by node, so that not all of them are in memory at once.
public struct RegionPageWriter {
  private var isFirst = true

  /// Appends the beginning.
  /// - Parameters:
  ///   - epoch: of the server's history.
  ///   - reset: whether the pages begin from nothing.
  ///   - bytes: what it is appended to.
  public init(epoch: String, reset: Bool = false, into bytes: inout [UInt8]) {
    JSONWriter.raw(#"{"epoch":"#, to: &bytes)
    JSONWriter.string(epoch, to: &bytes)
    if reset { JSONWriter.raw(#","reset":true"#, to: &bytes) }
    JSONWriter.raw(#","nodes":["#, to: &bytes)
  }

  /// Appends a node.
  /// - Parameters:
  ///   - node: what is written.
  ///   - bytes: what it is appended to.
  public mutating func append(_ node: RegionPage.Node, into bytes: inout [UInt8]) {
    begin(&bytes)
    switch node {
    case .region(let region, let revision):
      RegionJSON.write(region, into: &bytes)
      bytes.removeLast()
      end(revision, &bytes)
    case .deleted(let id, let revision):
      JSONWriter.raw(#"{"id":"#, to: &bytes)
      JSONWriter.string(id, to: &bytes)
      JSONWriter.raw(#","deleted":true"#, to: &bytes)
      end(revision, &bytes)
    }
  }

  /// Appends a region that is kept as `RegionJSON.write` wrote it, without reading it.
  /// - Parameters:
  ///   - canonical: the text of the region; what is no object is not written.
  ///   - revision: of the region.
  ///   - bytes: what it is appended to.
  public mutating func append(canonical: some Collection<UInt8>, revision: Int64, into bytes: inout [UInt8]) {
    guard canonical.count > 2, canonical.first == UInt8(ascii: "{") else { return }
    begin(&bytes)
    bytes.append(contentsOf: canonical)
    bytes.removeLast()
    end(revision, &bytes)
  }

  private mutating func begin(_ bytes: inout [UInt8]) {
    JSONWriter.raw(isFirst ? "\n" : ",\n", to: &bytes)
    isFirst = false
  }

  private func end(_ revision: Int64, _ bytes: inout [UInt8]) {
    JSONWriter.raw(#","revision":"#, to: &bytes)
    JSONWriter.number(Int(revision), to: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  /// Appends the end.
  /// - Parameters:
  ///   - endCursor: where the next request goes on.
  ///   - hasNextPage: whether there is more.
  ///   - digest: of all regions that the device has after the last page.
  ///   - count: how many these are.
  ///   - bytes: what it is appended to.
  public consuming func finish(
    endCursor: String?, hasNextPage: Bool, digest: String?, count: Int?, into bytes: inout [UInt8]
  ) {
    JSONWriter.raw(isFirst ? #"],"pageInfo":{"# : "\n],\"pageInfo\":{", to: &bytes)
    if let endCursor {
      JSONWriter.raw(#""endCursor":"#, to: &bytes)
      JSONWriter.string(endCursor, to: &bytes)
      bytes.append(UInt8(ascii: ","))
    }
    JSONWriter.raw(#""hasNextPage":"#, to: &bytes)
    JSONWriter.raw(hasNextPage ? "true}" : "false}", to: &bytes)
    JSONWriter.member(#","digest":"#, digest, to: &bytes)
    if let count {
      JSONWriter.raw(#","count":"#, to: &bytes)
      JSONWriter.number(count, to: &bytes)
    }
    JSONWriter.raw("}\n", to: &bytes)
  }
}
