/// The files of the page, out of the executable.
enum Pages {
  /// By their paths in the server's addresses.
  static let files: [String: [UInt8]] = [
    "/index.html": PackageResources.index_html
  ]
}
