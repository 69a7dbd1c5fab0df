// Code that adds a device needs the hash of an access token. Therefore this module re-exports the module of access tokens.
@_exported public import GodwitSecrets
