// The interface of this module uses the options, the points and the skipped parts of `GodwitTracks`. With the re-export,
// `import GodwitFiles` is sufficient.
@_exported public import GodwitTracks
