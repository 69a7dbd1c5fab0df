public import GodwitModel
public import GodwitText

/// A page of the region synchronisation: the changes of a device's regions after a cursor, in the order of the revisions.
///
///     {"epoch":"9f3c","nodes":[{"id":"home",…,"revision":17},{"id":"x","deleted":true,"revision":18}],
///      "pageInfo":{"endCursor":"18","hasNextPage":false},"digest":"…32 hex…","count":5000}
public struct RegionPage: Sendable, Hashable {
  public enum Node: Sendable, Hashable {
    /// A region in its state since a revision.
    case region(Region, revision: Int64)
    /// A region that was deleted, or removed from the device, at a revision.
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

  /// Identifies the history of the server. Cursors of another epoch are invalid.
  public var epoch: String
  public var nodes: [Node]
  /// The cursor for the next request; `nil` if there are no changes yet.
  public var endCursor: String?
  public var hasNextPage: Bool
  /// The digest of all regions of the device after the last page: 32 hexadecimal digits.
  public var digest: String?
  /// The number of these regions.
  public var count: Int?
  /// Whether the pages contain the complete set, so that the device must discard its regions.
  public var reset: Bool
  /// The texts of regions with unknown members by id, as written by the server, without the revision. The server computes
  /// its digest from these texts.
  public var texts: [String: [UInt8]]

  /// - Parameters:
  ///   - epoch: the identifier of the server's history.
  ///   - nodes: the changes.
  ///   - endCursor: the cursor for the next request.
  ///   - hasNextPage: whether there are more pages.
  ///   - digest: the digest of all regions of the device after the last page.
  ///   - count: the number of these regions.
  ///   - reset: whether the pages contain the complete set.
  ///   - texts: the texts of regions with unknown members.
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

  /// Reads a page. Unknown members are skipped everywhere, so that pages of newer servers can be read.
  /// - Parameters:
  ///   - bytes: the complete text.
  ///   - limits: the maximum size and number of nodes.
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

  /// Appends the complete page. ``RegionPageWriter`` writes the same text node by node, for example from a store.
  /// - Parameter bytes: the buffer to which the page is appended.
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

/// Writes a page node by node, so that not all nodes are in memory at once.
public struct RegionPageWriter {
  private var isFirst = true

  /// Appends the beginning of the page.
  /// - Parameters:
  ///   - epoch: the identifier of the server's history.
  ///   - reset: whether the pages contain the complete set.
  ///   - bytes: the buffer to which the text is appended.
  public init(epoch: String, reset: Bool = false, into bytes: inout [UInt8]) {
    JSONWriter.raw(#"{"epoch":"#, to: &bytes)
    JSONWriter.string(epoch, to: &bytes)
    if reset { JSONWriter.raw(#","reset":true"#, to: &bytes) }
    JSONWriter.raw(#","nodes":["#, to: &bytes)
  }

  /// Appends a node.
  /// - Parameters:
  ///   - node: the node.
  ///   - bytes: the buffer to which the text is appended.
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

  /// Appends a region that is stored in the form of `RegionJSON.write`, without parsing it.
  /// - Parameters:
  ///   - canonical: the text of the region. A text that is not an object is not written.
  ///   - revision: the revision of the region.
  ///   - bytes: the buffer to which the text is appended.
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

  /// Appends the end of the page.
  /// - Parameters:
  ///   - endCursor: the cursor for the next request.
  ///   - hasNextPage: whether there are more pages.
  ///   - digest: the digest of all regions of the device after the last page.
  ///   - count: the number of these regions.
  ///   - bytes: the buffer to which the text is appended.
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
