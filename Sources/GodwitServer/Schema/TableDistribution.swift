/// The location of each table in a distributed store. Points and the data computed from them are on the worker of their device; all other
/// tables are in the coordinator's database. A test compares both lists with the schema.
package enum TableDistribution {
  /// Tables distributed by the column `device`: all rows of a device are on one worker. The other tables are co-located with the first one.
  package static let byDevice = [
    "points", "point_blocks", "sealed_devices", "events", "outliers", "live_positions", "device_states", "contact_hours",
    "overview_pieces", "history_versions", "timelines", "timeline_days", "visits", "trips", "day_shares",
  ]

  /// Local tables, with few rows for each device or none. Points refer to `contexts` and `journals`, which are read by id. `dirty_days` is
  /// a queue: reading it needs no worker, and when some workers are down, the days of devices on the other workers are still computed.
  package static let local: Set<String> = [
    "access_tokens", "account_notices", "addresses", "app_commands", "app_options", "app_reports", "audit_log", "contexts",
    "deleted_ranges", "deletions", "desired_settings", "device_looks", "device_tokens", "devices", "dirty_days",
    "feed_events", "feed_subscribers", "friendships", "heartbeat_rules", "heartbeat_status", "imports", "journals",
    "link_devices", "links", "merged_devices", "mirror_changes", "mirror_devices", "mirror_status", "mirrored_devices",
    "mqtt_topics", "mqtt_unassigned", "offline_devices", "openid_identities", "outages", "passkeys", "photo_servers",
    "place_changes", "places", "point_hashes", "preferences", "profiles", "received_ranges", "recovery_codes", "region_changes",
    "region_events", "region_groups", "region_rules", "region_status", "region_syncs", "region_tags", "regions",
    "rejected_drops", "rejected_records", "retentions", "roads", "schema_migrations", "second_factors", "sessions",
    "sign_in_challenges", "sign_in_failures", "timeline_corrections", "trash", "trash_parts", "users", "webhook_deliveries",
    "webhooks", "zone_counts", "zone_status", "zones",
  ]
}
