import { type Fragment, sql } from '../../engine/sql.js';
import type { SchemaNames } from '../schema-version.js';

/** The statements that create the tables on SQLite. */
export function createOnSqlite({ table, index }: SchemaNames): Fragment[] {
  return [
    sql`CREATE TABLE IF NOT EXISTS ${table('job')} (
      "id" blob PRIMARY KEY NOT NULL,
      "queue" varchar(64) NOT NULL,
      "state" varchar(16) NOT NULL,
      "owner" integer NOT NULL DEFAULT (0),
      "lane" integer NOT NULL DEFAULT (0),
      "position" bigint NOT NULL,
      "name" varchar(128) NOT NULL,
      "job_key" varchar(191),
      "unique_key" varchar(191),
      "order_key" varchar(191),
      "order_blocks" integer,
      "order_head" integer,
      "payload" text,
      "payload_version" integer NOT NULL DEFAULT (1),
      "priority" integer NOT NULL DEFAULT (0),
      "attempt" integer NOT NULL DEFAULT (0),
      "failures" integer NOT NULL DEFAULT (0),
      "crashes" integer NOT NULL DEFAULT (0),
      "last_error" text,
      "progress" text,
      "result" text,
      "group_id" blob,
      "tenant" varchar(191),
      "tenant_lane" integer NOT NULL DEFAULT (0),
      "trace" text,
      "created_at" bigint NOT NULL,
      "run_at" bigint NOT NULL,
      "expires_at" bigint,
      "claimed_at" bigint NOT NULL DEFAULT (0),
      "finished_at" bigint NOT NULL DEFAULT (0)
    )`,
    sql`CREATE INDEX IF NOT EXISTS ${index('job_lane')}
      ON ${table('job')} ("queue", "state", "lane", "position", "id")`,
    sql`CREATE TABLE IF NOT EXISTS ${table('error')} (
      "job_id" blob NOT NULL,
      "attempt" integer NOT NULL,
      "claimed_at" bigint NOT NULL,
      "failed_at" bigint NOT NULL,
      "error" text NOT NULL,
      PRIMARY KEY ("job_id", "attempt")
    )`,
    sql`CREATE TABLE IF NOT EXISTS ${table('key')} (
      "job_key" varchar(191) NOT NULL,
      "job_id" blob NOT NULL,
      PRIMARY KEY ("job_key", "job_id")
    )`,
    sql`CREATE TABLE IF NOT EXISTS ${table('worker')} (
      "id" integer PRIMARY KEY NOT NULL,
      "host" varchar(255) NOT NULL,
      "pid" integer NOT NULL,
      "version" varchar(64) NOT NULL,
      "code_version" varchar(64),
      "queues" text NOT NULL,
      "started_at" bigint NOT NULL,
      "seen_at" bigint NOT NULL,
      "lease_until" bigint NOT NULL,
      "lock_name" varchar(64),
      "lock_server" bigint,
      "state" varchar(16) NOT NULL DEFAULT ('working'),
      "requested" varchar(16) NOT NULL DEFAULT ('work'),
      "requested_by" varchar(191),
      "requested_at" bigint,
      "rss" bigint NOT NULL DEFAULT (0),
      "heap_used" bigint NOT NULL DEFAULT (0),
      "delay_p99" integer NOT NULL DEFAULT (0),
      "delay_max" integer NOT NULL DEFAULT (0),
      "blocked_at" bigint,
      "blocked_for" integer
    )`,
    sql`CREATE TABLE IF NOT EXISTS ${table('maintenance')} (
      "task" varchar(64) PRIMARY KEY NOT NULL,
      "next_run_at" bigint NOT NULL
    )`,
    sql`CREATE TABLE IF NOT EXISTS ${table('queue')} (
      "queue" varchar(64) PRIMARY KEY NOT NULL,
      "paused_at" bigint,
      "concurrency" integer,
      "tenant_concurrency" integer,
      "rate_jobs" integer,
      "rate_window" bigint,
      "rate_burst" integer,
      "rate_full_at" bigint NOT NULL DEFAULT (0),
      "tenant_rate_jobs" integer,
      "tenant_rate_window" bigint,
      "tenant_rate_burst" integer,
      "max_length" integer,
      "declared_limits" varchar(400),
      "code_only_jobs" text
    )`,
    sql`CREATE TABLE IF NOT EXISTS ${table('cancellation')} (
      "job_id" blob PRIMARY KEY NOT NULL,
      "requested_at" bigint NOT NULL
    )`,
    sql`CREATE TABLE IF NOT EXISTS ${table('schedule')} (
      "name" varchar(128) PRIMARY KEY NOT NULL,
      "job_name" varchar(128) NOT NULL,
      "queue" varchar(64) NOT NULL,
      "payload" text,
      "payload_version" integer NOT NULL DEFAULT (1),
      "priority" integer NOT NULL,
      "expires_in" bigint,
      "job_key" varchar(191),
      "tenant" varchar(191),
      "cron" varchar(255),
      "time_zone" varchar(64) NOT NULL,
      "every_ms" bigint,
      "catch_up" varchar(16) NOT NULL,
      "overlap" integer NOT NULL,
      "defined_by" varchar(16) NOT NULL,
      "paused_at" bigint,
      "next_fire_at" bigint,
      "last_fire_at" bigint,
      "last_job_id" blob,
      "skipped" bigint NOT NULL DEFAULT (0),
      "last_skipped_at" bigint,
      "revision" bigint NOT NULL DEFAULT (0)
    )`,
    sql`CREATE INDEX IF NOT EXISTS ${index('schedule_due')}
      ON ${table('schedule')} ("next_fire_at", "name")`,
    sql`CREATE TABLE IF NOT EXISTS ${table('lock')} (
      "name" varchar(191) PRIMARY KEY NOT NULL,
      "holder" varchar(36) NOT NULL,
      "lease_until" bigint NOT NULL
    )`,
    sql`CREATE TABLE IF NOT EXISTS ${table('unique')} (
      "name" varchar(128) NOT NULL,
      "unique_key" varchar(191) NOT NULL,
      "job_id" blob NOT NULL,
      "lasts" varchar(16) NOT NULL,
      "window_until" bigint,
      PRIMARY KEY ("name", "unique_key")
    )`,
    sql`CREATE INDEX IF NOT EXISTS ${index('unique_window')} ON ${table('unique')} ("lasts", "window_until")`,
    sql`CREATE TABLE IF NOT EXISTS ${table('group')} (
      "id" blob PRIMARY KEY NOT NULL,
      "jobs" integer NOT NULL,
      "on_success" blob,
      "on_failure" blob,
      "on_complete" blob,
      "parent" blob,
      "created_at" bigint NOT NULL,
      "failed_at" bigint,
      "finished_at" bigint
    )`,
    sql`CREATE INDEX IF NOT EXISTS ${index('group_finished')} ON ${table('group')} ("finished_at", "id")`,
    sql`CREATE TABLE IF NOT EXISTS ${table('member')} (
      "group_id" blob NOT NULL,
      "outcome" varchar(16) NOT NULL,
      "job_id" blob NOT NULL,
      PRIMARY KEY ("group_id", "outcome", "job_id")
    )`,
    sql`CREATE TABLE IF NOT EXISTS ${table('audit')} (
      "id" blob PRIMARY KEY NOT NULL,
      "done_at" bigint NOT NULL,
      "who" varchar(191),
      "action" varchar(32) NOT NULL,
      "target" varchar(191) NOT NULL,
      "detail" text,
      "changed" integer NOT NULL,
      "skipped" integer NOT NULL
    )`,
    sql`CREATE INDEX IF NOT EXISTS ${index('audit_time')} ON ${table('audit')} ("done_at", "id")`,
    sql`CREATE TABLE IF NOT EXISTS ${table('throughput')} (
      "began_at" bigint NOT NULL,
      "queue" varchar(64) NOT NULL,
      "succeeded" integer NOT NULL,
      "failed" integer NOT NULL,
      "retried" integer NOT NULL,
      "expired" integer NOT NULL,
      "latency_sum" bigint NOT NULL,
      "latency_max" bigint NOT NULL,
      "run_sum" bigint NOT NULL,
      "run_max" bigint NOT NULL,
      PRIMARY KEY ("began_at", "queue")
    )`,
    sql`CREATE TABLE IF NOT EXISTS ${table('step')} (
      "job_id" blob NOT NULL,
      "kind" varchar(8) NOT NULL,
      "name" varchar(191) NOT NULL,
      "state" varchar(8) NOT NULL,
      "seq" integer NOT NULL,
      "attempt" integer NOT NULL,
      "failures" integer NOT NULL DEFAULT (0),
      "due_at" bigint,
      "value" text,
      "error" text,
      "undoes" integer NOT NULL DEFAULT (0),
      "awaits" varchar(191),
      "needs" integer NOT NULL DEFAULT (1),
      "took" integer,
      "recorded_at" bigint NOT NULL,
      PRIMARY KEY ("job_id", "kind", "name")
    )`,
    sql`CREATE TABLE IF NOT EXISTS ${table('signal')} (
      "job_id" blob NOT NULL,
      "name" varchar(191) NOT NULL,
      "sent_at" bigint NOT NULL,
      "id" blob NOT NULL,
      "data" text,
      "once" varchar(191),
      "stage" integer NOT NULL DEFAULT (0),
      PRIMARY KEY ("job_id", "name", "sent_at", "id")
    )`,
    sql`CREATE INDEX IF NOT EXISTS ${index('signal_stage')} ON ${table('signal')} ("stage", "sent_at")`,
    sql`CREATE UNIQUE INDEX IF NOT EXISTS ${index('signal_once')}
      ON ${table('signal')} ("job_id", "name", "once")`,
    sql`CREATE TABLE IF NOT EXISTS ${table('ordered')} (
      "place" integer PRIMARY KEY AUTOINCREMENT NOT NULL,
      "job_id" blob NOT NULL,
      "name" varchar(128) NOT NULL,
      "order_key" varchar(191) NOT NULL
    )`,
    sql`CREATE INDEX IF NOT EXISTS ${index('ordered_key')} ON ${table('ordered')} ("name", "order_key", "place")`,
    sql`CREATE INDEX IF NOT EXISTS ${index('ordered_job')} ON ${table('ordered')} ("job_id")`,
    sql`CREATE TABLE IF NOT EXISTS ${table('order_key')} (
      "name" varchar(128) NOT NULL,
      "order_key" varchar(191) NOT NULL,
      "job_id" blob NOT NULL,
      "blocked_at" bigint,
      PRIMARY KEY ("name", "order_key")
    )`,
    sql`CREATE INDEX IF NOT EXISTS ${index('order_key_blocked')} ON ${table('order_key')} ("blocked_at")`,
    sql`CREATE TABLE IF NOT EXISTS ${table('event')} (
      "name" varchar(64) PRIMARY KEY NOT NULL,
      "last_number" bigint NOT NULL
    )`,
    sql`CREATE TABLE IF NOT EXISTS ${table('subscription')} (
      "event" varchar(64) NOT NULL,
      "number" bigint NOT NULL,
      "name" varchar(63) NOT NULL,
      "queue" varchar(64) NOT NULL,
      "priority" integer NOT NULL,
      "registered_at" bigint NOT NULL,
      "handled_at" bigint NOT NULL,
      PRIMARY KEY ("event", "number")
    )`,
    sql`CREATE INDEX IF NOT EXISTS ${index('subscription_handled')} ON ${table('subscription')} ("handled_at")`,
    sql`CREATE UNIQUE INDEX IF NOT EXISTS ${index('subscription_name')} ON ${table('subscription')} ("event", "name")`,
    sql`CREATE TABLE IF NOT EXISTS ${table('expiry')} (
      "job_id" blob PRIMARY KEY NOT NULL,
      "check_at" bigint NOT NULL
    )`,
    sql`CREATE INDEX IF NOT EXISTS ${index('expiry_due')} ON ${table('expiry')} ("check_at", "job_id")`,
    sql`CREATE TABLE IF NOT EXISTS ${table('tenant_rate')} (
      "queue" varchar(64) NOT NULL,
      "lane" integer NOT NULL,
      "tenant" varchar(191) NOT NULL,
      "full_at" bigint NOT NULL,
      PRIMARY KEY ("queue", "lane", "tenant")
    )`,
    sql`CREATE TABLE IF NOT EXISTS ${table('bulk_operation')} (
      "id" blob PRIMARY KEY NOT NULL,
      "action" varchar(32) NOT NULL,
      "filter" text NOT NULL,
      "priority" integer,
      "target_queue" varchar(64),
      "who" varchar(191),
      "state" varchar(16) NOT NULL,
      "total" integer,
      "is_capped" integer NOT NULL DEFAULT (0),
      "changed" integer NOT NULL DEFAULT (0),
      "skipped" integer NOT NULL DEFAULT (0),
      "cursor_at" bigint NOT NULL,
      "cursor_id" blob NOT NULL,
      "started_at" bigint NOT NULL,
      "advanced_at" bigint NOT NULL DEFAULT (0),
      "finished_at" bigint
    )`,
    sql`CREATE INDEX IF NOT EXISTS ${index('bulk_operation_state')} ON ${table('bulk_operation')} ("state", "id")`,
    sql`CREATE TABLE IF NOT EXISTS ${table('log')} (
      "job_id" blob NOT NULL,
      "attempt" integer NOT NULL,
      "seq" integer NOT NULL,
      "logged_at" bigint NOT NULL,
      "level" varchar(16) NOT NULL,
      "message" text NOT NULL,
      "fields" text,
      "dropped" integer NOT NULL DEFAULT (0),
      PRIMARY KEY ("job_id", "attempt", "seq")
    )`,
    sql`CREATE TABLE IF NOT EXISTS ${table('muted_error')} (
      "fingerprint" varchar(16) PRIMARY KEY NOT NULL,
      "muted_until" bigint NOT NULL
    )`,
    sql`CREATE TABLE IF NOT EXISTS ${table('alert')} (
      "rule" varchar(64) NOT NULL,
      "kind" varchar(32) NOT NULL,
      "found_at" bigint NOT NULL,
      "opened_at" bigint,
      "is_held" integer NOT NULL DEFAULT (0),
      "checked_at" bigint NOT NULL DEFAULT (0),
      "messages" integer NOT NULL DEFAULT (0),
      "left_out" integer NOT NULL DEFAULT (0),
      PRIMARY KEY ("rule", "kind")
    )`,
  ];
}
