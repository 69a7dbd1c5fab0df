internal import CArchive

/// The compressions that an archive from outside may have. libarchive's own list has filters that run other programs (lrzip,
/// grzip); none of these does.
package enum ArchiveFilters {
  /// Lets an archive that is not open yet be gzip, bzip2, xz, Zstandard or not compressed.
  package static func support(in archive: OpaquePointer) {
    archive_read_support_filter_none(archive)
    archive_read_support_filter_gzip(archive)
    archive_read_support_filter_bzip2(archive)
    archive_read_support_filter_xz(archive)
    archive_read_support_filter_zstd(archive)
  }
}
