package import Foundation
package import GodwitModel

/// The identifier of a photo on an Immich server: a UUID, which nothing else passes for in an address.
package struct PhotoID: Sendable, Hashable {
  /// In lower case.
  package let text: String

  /// - Returns: `nil` unless the text is a UUID.
  package init?(_ text: String) {
    guard text.utf8.count == 36, let id = UUID(uuidString: text) else { return nil }
    self.text = id.uuidString.lowercased()
  }
}

extension PhotoServerAddress {
  /// The page of a photo on the Immich server.
  package func page(of id: PhotoID) -> String { "\(text)/photos/\(id.text)" }
}

/// A photo of an Immich server.
package struct Photo: Sendable, Hashable {
  package var id: PhotoID
  /// When it was taken.
  package var time: Date
  /// Where it was taken; `nil`: the photo does not say.
  package var coordinate: Coordinate?
  /// The name of its file.
  package var name: String
}

/// The photos of a period.
package struct PhotoPage: Sendable {
  /// By time.
  package var photos: [Photo] = []
  /// Whether these are all photos of the period.
  package var isComplete = true
}

/// The sizes of a photo that Immich makes.
package enum PhotoSize: String, Sendable, CaseIterable {
  /// 250 pixels.
  case thumbnail
  /// 1,440 pixels, unless the Immich server is set otherwise.
  case preview

  /// Maximum bytes of the image.
  var maximumBytes: Int {
    switch self {
    case .thumbnail: 512 << 10
    case .preview: 8 << 20
    }
  }
}

/// A picture with the type that its bytes show.
package struct PhotoImage: Sendable {
  package let type: ImageType
  package let bytes: [UInt8]
}

/// The kinds of pictures that are passed on: pixels alone. SVG and HTML can run scripts, and are none of them.
package enum ImageType: String, Sendable, CaseIterable {
  case jpeg = "image/jpeg"
  case png = "image/png"
  case webp = "image/webp"
  case gif = "image/gif"
  case avif = "image/avif"

  /// The type of a picture by its first bytes; what the sender calls it does not count.
  /// - Returns: `nil` for anything else.
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
