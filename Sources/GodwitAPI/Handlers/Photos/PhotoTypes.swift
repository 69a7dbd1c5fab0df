internal import Foundation
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitPhotos
internal import GodwitRoutes
internal import GodwitStore

extension PhotoAPI {
  // MARK: Results

  /// The Immich server of a user, without its key.
  struct ServerObject: ResultObject {
    @Nullable var address: String?
    @Nullable var stored: Date?

    static let schemaName: String? = "PhotoServer"
    static let notes: [String: JSONValue] = [
      "address": "null: none is stored.", "stored": "When address and key were stored.",
    ]

    init(_ server: PhotoServer?) {
      address = server?.address.text
      stored = server?.stored
    }
  }

  struct PhotoObject: ResultObject {
    var id: String
    var time: Date
    @Nullable var latitude: Double?
    @Nullable var longitude: Double?
    var name: String
    var link: String

    static let schemaName: String? = "Photo"
    static let notes: [String: JSONValue] = [
      "latitude": "null: the photo has no position.", "name": "The name of its file.", "link": "Its page on the Immich server.",
    ]

    init(_ photo: Photo, on address: PhotoServerAddress) {
      id = photo.id.text
      time = photo.time
      latitude = photo.coordinate?.latitude
      longitude = photo.coordinate?.longitude
      name = photo.name
      link = address.page(of: photo.id)
    }
  }

  struct PhotoList: ResultObject {
    var photos: [PhotoObject]
    var complete: Bool

    static let notes: [String: JSONValue] = ["complete": "false: there are more photos than one answer has."]
  }

  /// A response with the bytes of a picture.
  enum Picture: RawContent {
    static func content(in components: SchemaComponents) -> JSONValue? {
      .object(Dictionary(uniqueKeysWithValues: ImageType.allCases.map { ($0.rawValue, [:]) }))
    }
  }

  // MARK: Requests

  struct ServerBody: BodyObject {
    let address: String
    let key: String

    static let kind = "photo server"
    static let notes: [String: JSONValue] = [
      "address": [
        "description": "The address that opens Immich in a browser.", "maxLength": .integer(PhotoServerAddress.maximumLength),
      ],
      "key": [
        "description": "An API key with the permissions asset.read and asset.view. It is stored and never returned.",
        "maxLength": .integer(PhotoServerKey.maximumLength),
      ],
    ]
  }

  struct ListParameters: ParameterList {
    let times: TimeRange
    let bbox: BoxParameter?

    static let notes: [String: JSONValue] = ["bbox": "Only photos in this area."]

    /// The maximum length of a period in days.
    private static let maximumDays = 400.0

    func period() throws(Problem) -> Range<Date> {
      guard let from = times.from?.date, let to = times.to?.date else {
        throw Problem(400, "Bad argument", "Give from and to: times or days, such as from=2026-11-01&to=2026-11-08.", at: "from")
      }
      let range = try times.milliseconds(in: TimeRange.all)
      guard TimeRange.all.contains(range.lowerBound), TimeRange.all.contains(range.upperBound) else {
        throw Problem(400, "Bad argument", "from, to: expected times from 1900 to 2199.", at: "from")
      }
      guard to.timeIntervalSince(from) <= Self.maximumDays * 86400 else {
        throw Problem(400, "Bad argument", "to: \(Int(Self.maximumDays)) days after from at most.", at: "to")
      }
      return from..<to
    }
  }

  enum PictureSize: String, Codable, CaseIterable, DocumentedValue, ParameterValue {
    case thumbnail, preview
  }

  struct PictureParameters: ParameterList {
    let size: PictureSize?

    static let notes: [String: JSONValue] = [
      "size": ["description": "`thumbnail`: about 250 pixels. `preview`: about 1,440.", "default": "thumbnail"]
    ]
  }
}
