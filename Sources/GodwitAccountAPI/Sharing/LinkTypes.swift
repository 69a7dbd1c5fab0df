internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore

extension LinkAPI {
  // MARK: For users

  struct Link: ResultObject {
    var id: String
    var name: String
    var devices: [String]
    var from: Date
    @Nullable var to: Date?
    @Nullable var expires: Date?
    @Nullable var grid: Int?
    @Nullable var delay: Int?
    var password: Bool
    var created: Date
    @Nullable var revoked: Date?
    var views: Int
    @Nullable var viewed: Date?
    /// This member and the next one are present only in the response to the creation.
    var token: String?
    var path: String?

    static let schemaName: String? = "Link"
    static let notes: [String: JSONValue] = [
      "id": ["pattern": "^lnk_[0-9]+$"], "views": ["minimum": 0], "token": "The secret; only in this response.",
      "path": "The address of the page; with the secret, this once.",
      "grid": "Metres of a grid cell to which positions are rounded; null: exact positions.",
      "delay": "Seconds after which positions are shown; null: at once.", "password": "Whether the link has one.",
    ]

    init(_ link: SharingLink, secret: String? = nil) {
      (id, name, devices) = (link.name, link.options.name, link.devices.map(\.name))
      from = Date(millisecondsSince1970: link.options.since)
      to = link.options.until.map { Date(millisecondsSince1970: $0) }
      expires = link.expires
      grid = link.options.grid.map { Int($0) }
      delay = link.options.delay.map { Int($0) }
      (password, created, revoked) = (link.hasPassword, link.created, link.revoked)
      (views, viewed) = (link.views, link.viewed)
      token = secret
      path = secret.map { "/s/\($0)" }
    }
  }

  struct LinkList: ResultObject {
    var links: [Link]
  }

  enum NameLimits: TextLimits {
    static let length = 1...100
  }

  /// The size of a grid cell in metres. The minimum is about the accuracy of a receiver.
  enum GridLimits: NumberLimits {
    static let range = 10.0...100_000
    static let expected = "10 to 100000 metres."
  }

  /// The delay in seconds; at most a week.
  enum DelayLimits: NumberLimits {
    static let range = 0.0...604_800
    static let expected = "0 to 604800 seconds."
  }

  enum PasswordLimits: TextLimits {
    static let length = 4...Password.lengths.upperBound
  }

  /// A member of a body with the names of a link's devices.
  struct DeviceNames: BodyValue {
    let names: [String]
    private static let counts = 1...50

    static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Self? {
      guard let names = try body.texts(name) else { return nil }
      guard counts.contains(names.count) else { throw body.fault(name, missing) }
      return Self(names: names)
    }
    static func schema(in components: SchemaComponents) -> JSONValue {
      [
        "type": "array", "items": ["type": "string"], "minItems": .integer(counts.lowerBound),
        "maxItems": .integer(counts.upperBound),
      ]
    }
    static let sample = Self(names: [])
    static let missing = "name 1 to 50 devices."
  }

  struct NewLink: BodyObject {
    let name: LimitedText<NameLimits>?
    let devices: DeviceNames
    let from: BodyTime?
    let to: BodyTime?
    let expires: BodyTime?
    let grid: LimitedNumber<GridLimits>?
    let delay: LimitedNumber<DelayLimits>?
    let password: LimitedText<PasswordLimits>?

    static let kind = "link"
    static let notes: [String: JSONValue] = [
      "name": ["default": "Shared"], "grid": "Metres of a grid cell to which positions are rounded.",
      "delay": "Seconds after which positions are shown.",
    ]
  }

  struct Revoked: ResultObject {
    var revoked: String
  }

  // MARK: For visitors of a link

  /// The parameter `after`.
  struct AfterTime: ParameterValue {
    let time: EpochMilliseconds
    static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
      let time: EpochMilliseconds? = try query.number(name, "milliseconds since 1970")
      return time.map { Self(time: $0) }
    }
    static func schema(in components: SchemaComponents) -> JSONValue {
      let range = EpochLimits.range
      return [
        "type": "integer", "minimum": .integer(Int(range.lowerBound)), "maximum": .integer(Int(range.upperBound)),
      ]
    }
    static let sample = Self(time: 0)
    static let parameterDescription = "Only points received after this time, in milliseconds since 1970."
  }

  /// The header that proves that a visitor knows the link's password.
  struct PasswordProof: HeaderParameter {
    let text: String
    init(header text: String) { self.text = text }
    static let header = "Godwit-Link-Proof"
    static let sample = Self(header: "")
    static let parameterDescription = "Proof of the link's password, from POST."
  }

  struct SharedParameters: ParameterList {
    let after: AfterTime?
    let revision: String?
    let proof: PasswordProof?

    static let notes: [String: JSONValue] = [
      "revision":
        "The revision of the previous response. If it has changed, shown points may be flagged or deleted: the response then has all points, and `complete` is true."
    ]
  }

  /// The data that a link shows.
  struct SharedPage: ResultObject {
    var name: String
    var from: Date
    @Nullable var to: Date?
    @Nullable var expires: Date?
    @Nullable var grid: Int?
    @Nullable var delay: Int?
    var now: Date
    var revision: String
    var complete: Bool
    /// Present only in the first page.
    var tiles: MapTilesResult?
    /// Present only in the first page.
    var basemap: BasemapResult?
    var tracks: [Track]

    init(
      _ link: SharingLink, now: Date, revision: String, isComplete: Bool, tiles: MapTilesResult?, basemap: BasemapResult?,
      tracks: [Track]
    ) {
      let options = Link(link)
      (name, from, to, expires) = (options.name, options.from, options.to, options.expires)
      (grid, delay) = (options.grid, options.delay)
      (self.now, self.revision, complete) = (now, revision, isComplete)
      (self.tiles, self.basemap, self.tracks) = (tiles, basemap, tracks)
    }
  }

  /// The positions of a device. Devices have no names here; they are numbered from 1.
  struct Track: ResultObject {
    var number: Int
    var points: Positions
    static let notes: [String: JSONValue] = ["number": ["minimum": 1]]
  }

  /// `[milliseconds, latitude, longitude, accuracy]` of each position, as encoded JSON.
  struct Positions: Codable, Sendable, DocumentedValue, JSONWritable {
    let text: String
    static func schema(in components: SchemaComponents) -> JSONValue {
      [
        "type": "array",
        "items": ["type": "array", "items": ["type": ["number", "null"]], "minItems": 4, "maxItems": 4],
        "description": "Milliseconds since 1970, latitude, longitude, and accuracy in metres.",
      ]
    }
    static let sample = Self(text: "")
    func write(to bytes: inout [UInt8]) {
      bytes.append(UInt8(ascii: "["))
      bytes += Array(text.utf8)
      bytes.append(UInt8(ascii: "]"))
    }
  }

  struct PasswordBody: BodyObject {
    let password: String
    static let kind = "password"
  }

  struct Proof: ResultObject {
    var proof: String
    static let notes: [String: JSONValue] = ["proof": "The value of the header Godwit-Link-Proof."]
  }
}
