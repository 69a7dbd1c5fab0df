// `import Godwit` is all that an app writes: records, settings, events and their values come with it.
@_exported public import GodwitEngine
@_exported public import GodwitModel
