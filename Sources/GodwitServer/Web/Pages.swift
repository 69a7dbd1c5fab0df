/// The files of the page, out of the executable.
package enum Pages {
  /// By their paths in the server's addresses.
  package static let files: [String: [UInt8]] = [
    "/index.html": PackageResources.index_html,
    "/base.css": PackageResources.base_css,
    "/map.css": PackageResources.map_css,
    "/map.js": PackageResources.map_js,
    "/api.js": PackageResources.api_js,
    "/format.js": PackageResources.format_js,
    "/graticule.js": PackageResources.graticule_js,
    "/profile.js": PackageResources.profile_js,
    "/track.js": PackageResources.track_js,
  ]
}
