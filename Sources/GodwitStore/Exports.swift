// A device is added with the hash of its access token: `import GodwitStore` is enough for both.
@_exported public import GodwitSecrets
