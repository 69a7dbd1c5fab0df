package import GodwitAccounts
internal import GodwitHTTP

/// Finds the files of the pages.
package struct PageFiles: Sendable {
  /// Returns the file at a path; pages have their texts in the language. `nil` without such a file.
  private let find: @Sendable (_ path: String, _ language: Preferences.Language) -> PageFile?

  package init(_ find: @escaping @Sendable (_ path: String, _ language: Preferences.Language) -> PageFile?) { self.find = find }

  func file(_ path: String, in language: Preferences.Language = .english) -> PageFile? { find(path, language) }
}

/// A file of the pages.
package struct PageFile: Sendable {
  let contentType: String
  var bytes: [UInt8]
  /// The cached data of a file that never changes at its path; `nil` for other files.
  let fixed: Fixed?

  /// The compressed form and the entity tag of a file that never changes at its path. They are computed once.
  struct Fixed: Sendable {
    let compressed: [UInt8]?
    let tag: String
  }

  /// Makes a file whose content may change with the version of the program.
  package init(contentType: String, bytes: [UInt8]) {
    (self.contentType, self.bytes, fixed) = (contentType, bytes, nil)
  }

  /// Makes a file whose path contains its version.
  package init(unchanging bytes: [UInt8], contentType: String) {
    (self.contentType, self.bytes) = (contentType, bytes)
    fixed = Fixed(compressed: Gzip.compressed(bytes, level: .smallest), tag: EntityTag.of(bytes))
  }

  /// Returns the response to a request for the file.
  func response(to request: HTTPRequest?) -> HTTPResponse {
    guard let fixed else {
      return HTTPResponse(status: 200, contentType: contentType, body: bytes).with("Cache-Control", "no-cache")
    }
    var response = HTTPResponse(status: 200, contentType: contentType, body: bytes)
    if let compressed = fixed.compressed, Gzip.isAccepted(request?.header("Accept-Encoding")) {
      response.body = .bytes(compressed)
      response = response.with("Content-Encoding", "gzip")
    }
    return response.with("ETag", fixed.tag).with("Vary", "Accept-Encoding")
      .with("Cache-Control", "public, max-age=31536000, immutable")
  }
}
