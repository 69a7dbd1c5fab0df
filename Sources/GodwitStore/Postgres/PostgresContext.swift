/// The table `contexts` of PostgreSQL.
package enum PostgresContext {
  /// What a context is found by. Its texts may be longer than a key can be.
  package static let key = """
    md5(coalesce('=' || device_id, '-') || chr(31) || coalesce('=' || wifi, '-') || chr(31) || coalesce('=' || trip, '-') \
    || chr(31) || coalesce('=' || unique_id, '-'))
    """
}
