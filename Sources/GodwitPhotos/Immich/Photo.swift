package import Foundation
package import GodwitModel

/// The identifier of a photo on an Immich server. It is a valid UUID, so it can be part of a path without escaping.
package struct PhotoID: Sendable, Hashable {
  /// The UUID in lowercase.
  package let text: String

  /// Creates an identifier; `nil`: the text is not a UUID.
  package init?(_ text: String) {
    guard text.utf8.count == 36, let id = UUID(uuidString: text) else { return nil }
    self.text = id.uuidString.lowercased()
  }
}

extension PhotoServerAddress {
  /// Returns the address of a photo's page on the Immich server.
  package func page(of id: PhotoID) -> String { "\(text)/photos/\(id.text)" }
}

/// A photo of an Immich server.
package struct Photo: Sendable, Hashable {
  package var id: PhotoID
  /// The time at which the photo was taken.
  package var time: Date
  /// The position at which the photo was taken; `nil`: unknown.
  package var coordinate: Coordinate?
  /// The name of its file.
  package var name: String
}

/// The photos of a period.
package struct PhotoPage: Sendable {
  /// The photos, sorted by time.
  package var photos: [Photo] = []
  /// Whether these are all photos of the period.
  package var isComplete = true
}

/// The sizes of an image that Immich provides.
package enum PhotoSize: String, Sendable, CaseIterable {
  /// 250 pixels.
  case thumbnail
  /// 1,440 pixels, unless the Immich server is configured otherwise.
  case preview

  /// The maximum size of the image in bytes.
  var maximumBytes: Int {
    switch self {
    case .thumbnail: 512 << 10
    case .preview: 8 << 20
    }
  }
}

/// An image, with the type that was detected from its bytes.
package struct PhotoImage: Sendable {
  package let type: ImageType
  package let bytes: [UInt8]
}

/// The image types that are passed to the browser. They contain only pixels; SVG and HTML are excluded because they can contain
/// scripts.
package enum ImageType: String, Sendable, CaseIterable {
  case jpeg = "image/jpeg"
  case png = "image/png"
  case webp = "image/webp"
  case gif = "image/gif"
  case avif = "image/avif"

  /// Detects the type of an image from its first bytes; `nil`: another type. The `Content-Type` of the response is ignored.
  package init?(of bytes: [UInt8]) {
    func has(_ text: String, at place: Int = 0) -> Bool { bytes.dropFirst(place).starts(with: text.utf8) }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if has("RIFF"), has("WEBP", at: 8) {
      self = .webp
    } else if has("GIF87a") || has("GIF89a") {
      self = .gif
    } else if has("ftypavif", at: 4) || has("ftypavis", at: 4) {
      self = .avif
    } else {
      return nil
    }
  }
}
