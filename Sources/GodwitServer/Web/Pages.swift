/// The files of the page, out of the executable.
enum Pages {
  /// By their paths in the server's addresses.
  static let files: [String: [UInt8]] = [
    "/index.html": PackageResources.index_html,
    "/map.css": PackageResources.map_css,
    "/map.js": PackageResources.map_js,
    "/api.js": PackageResources.api_js,
    "/format.js": PackageResources.format_js,
    "/graticule.js": PackageResources.graticule_js,
    "/profile.js": PackageResources.profile_js,
    "/track.js": PackageResources.track_js,
  ]
}
