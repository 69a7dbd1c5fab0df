internal import GodwitAPI
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitResources

/// The files of the pages: Godwit's from the executable, MapLibre's from the machine.
struct Assets: Sendable {
  private let library: MapLibrary
  private let pages = TranslatedPages(files: Pages.files)

  init(mapLibrary: MapLibrary) { library = mapLibrary }

  /// Returns a file by the path in its URL, a page with its texts in a language; `nil` if it does not exist.
  func file(at path: String, in language: Preferences.Language) -> PageFile? {
    if let bytes = pages.page(at: path, in: language) { return PageFile(contentType: MediaType.of(path), bytes: bytes) }
    if let bytes = Pages.files[path] { return PageFile(contentType: MediaType.of(path), bytes: bytes) }
    // The recorded walk that `godwit demo` plays.
    if path == "/demo.gpx" {
      return PageFile(contentType: MediaType.of(path), bytes: Resources.tracker["GodwitCLI/Demo/korita-zbevnica.gpx"])
    }
    return library.file(at: path)
  }
}
