internal import Foundation
internal import GodwitModel

/// The body of `POST /search/metadata`.
struct ImmichSearch: Encodable {
  /// The beginning of the period in RFC 3339. The end is `takenBefore`.
  let takenAfter: String
  let takenBefore: String
  let type = "IMAGE"
  let withExif = true
  let order = "asc"
  let size: Int
  /// The number of the page, from 1; `nil`: the cursor selects the page.
  let page: Int?
  let cursor: String?
}

/// The used members of the response of `POST /search/metadata`. An item with an absent or invalid member is skipped; the rest of
/// the page is used.
struct ImmichSearchResponse: Decodable {
  struct Assets: Decodable {
    var items: [Lossy<ImmichAsset>]
    var nextPage: String?
    var nextCursor: String?

    private enum Member: String, CodingKey { case items, nextPage, nextCursor }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Member.self)
      items = try members.decode([Lossy<ImmichAsset>].self, forKey: .items)
      // Older versions of Immich have page numbers; newer ones may have only a cursor.
      nextPage = try? members.decodeIfPresent(String.self, forKey: .nextPage)
      nextCursor = try? members.decodeIfPresent(String.self, forKey: .nextCursor)
    }
  }
  var assets: Assets
}

/// A value that is `nil` if it cannot be decoded.
struct Lossy<Value: Decodable>: Decodable {
  let value: Value?
  init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
}

/// An asset of Immich.
struct ImmichAsset: Decodable {
  struct Exif: Decodable {
    var latitude: Double?
    var longitude: Double?
  }
  var id: String
  var type: String
  /// The time at which the photo was taken, in UTC.
  var fileCreatedAt: String
  var originalFileName: String?
  var exifInfo: Lossy<Exif>?
  var isTrashed: Bool?
  var visibility: String?

  /// The maximum length of a file name in characters; longer names are truncated.
  private static let maximumName = 200

  /// The photo; `nil`: it is not a visible photo with a time.
  var photo: Photo? {
    guard type == "IMAGE", isTrashed != true, visibility == nil || visibility == "timeline" || visibility == "archive",
      let id = PhotoID(id), let time = RFC3339.date(fileCreatedAt)
    else { return nil }
    var coordinate: Coordinate?
    if let exif = exifInfo?.value, let latitude = exif.latitude, let longitude = exif.longitude {
      let found = Coordinate(latitude: latitude, longitude: longitude)
      // Cameras without a position write 0, 0.
      if latitude != 0 || longitude != 0 { coordinate = found }
    }
    return Photo(id: id, time: time, coordinate: coordinate, name: String((originalFileName ?? "").prefix(Self.maximumName)))
  }
}

/// The response of `GET /server/ping`.
struct ImmichPing: Decodable {
  var res: String
}
