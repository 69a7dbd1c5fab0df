internal import CArchive

/// The supported compressions of untrusted archives. libarchive's complete list has filters that run other programs (lrzip,
/// grzip); none of these does.
package enum ArchiveFilters {
  /// Enables gzip, bzip2, xz, Zstandard and no compression for an archive that is not open yet.
  package static func support(in archive: OpaquePointer) {
    archive_read_support_filter_none(archive)
    archive_read_support_filter_gzip(archive)
    archive_read_support_filter_bzip2(archive)
    archive_read_support_filter_xz(archive)
    archive_read_support_filter_zstd(archive)
  }
}
