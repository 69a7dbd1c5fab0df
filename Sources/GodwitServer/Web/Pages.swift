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
    "/history.js": PackageResources.history_js,
    "/profile.js": PackageResources.profile_js,
    "/track.js": PackageResources.track_js,
    "/sign-in.html": PackageResources.sign_in_html,
    "/sign-in.js": PackageResources.sign_in_js,
    "/account.html": PackageResources.account_html,
    "/account.css": PackageResources.account_css,
    "/account.js": PackageResources.account_js,
    "/zone-map.js": PackageResources.zone_map_js,
    "/share.html": PackageResources.share_html,
    "/share.css": PackageResources.share_css,
    "/share.js": PackageResources.share_js,
    "/regions.html": PackageResources.regions_html,
    "/regions.css": PackageResources.regions_css,
    "/regions.js": PackageResources.regions_js,
    "/region-copy.js": PackageResources.region_copy_js,
    "/region-form.js": PackageResources.region_form_js,
    "/fence-layer.js": PackageResources.fence_layer_js,
    "/shape-editor.js": PackageResources.shape_editor_js,
  ]
}
