/// The table `contexts` of PostgreSQL.
package enum PostgresContext {
  /// The unique key of a context: a hash, because the texts may be longer than an index allows.
  package static let key = """
    md5(coalesce('=' || device_id, '-') || chr(31) || coalesce('=' || wifi, '-') || chr(31) || coalesce('=' || trip, '-') \
    || chr(31) || coalesce('=' || unique_id, '-'))
    """
}
