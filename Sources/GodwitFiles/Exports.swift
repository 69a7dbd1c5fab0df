// Files of records have the options, the points and the skipped parts of tracks: `import GodwitFiles` is enough for them.
@_exported public import GodwitTracks
