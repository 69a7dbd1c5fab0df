// Adding a device needs the hash of an access token, so this module re-exports both.
@_exported public import GodwitSecrets
