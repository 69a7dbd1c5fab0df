// `import CoreLocation` shows the sources of positions as well.
@_exported public import GodwitReceivers
