// `import Godwit` is all that an app writes: records, settings, events and their values come with it, and the formats in
// which it may want to hand its records on.
@_exported public import GodwitEngine
@_exported public import GodwitFormats
@_exported public import GodwitModel
