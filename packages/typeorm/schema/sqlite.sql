CREATE TABLE "tq_job" (
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
);

CREATE INDEX "tq_job_lane"
  ON "tq_job" ("queue", "state", "lane", "position", "id");

CREATE TABLE "tq_error" (
  "job_id" blob NOT NULL,
  "attempt" integer NOT NULL,
  "claimed_at" bigint NOT NULL,
  "failed_at" bigint NOT NULL,
  "error" text NOT NULL,
  PRIMARY KEY ("job_id", "attempt")
);

CREATE TABLE "tq_key" (
  "job_key" varchar(191) NOT NULL,
  "job_id" blob NOT NULL,
  PRIMARY KEY ("job_key", "job_id")
);

CREATE TABLE "tq_worker" (
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
);

CREATE TABLE "tq_maintenance" (
  "task" varchar(64) PRIMARY KEY NOT NULL,
  "next_run_at" bigint NOT NULL
);

CREATE TABLE "tq_queue" (
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
);

CREATE TABLE "tq_cancellation" (
  "job_id" blob PRIMARY KEY NOT NULL,
  "requested_at" bigint NOT NULL
);

CREATE TABLE "tq_schedule" (
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
);

CREATE INDEX "tq_schedule_due"
  ON "tq_schedule" ("next_fire_at", "name");

CREATE TABLE "tq_lock" (
  "name" varchar(191) PRIMARY KEY NOT NULL,
  "holder" varchar(36) NOT NULL,
  "lease_until" bigint NOT NULL
);

CREATE TABLE "tq_unique" (
  "name" varchar(128) NOT NULL,
  "unique_key" varchar(191) NOT NULL,
  "job_id" blob NOT NULL,
  "lasts" varchar(16) NOT NULL,
  "window_until" bigint,
  PRIMARY KEY ("name", "unique_key")
);

CREATE INDEX "tq_unique_window" ON "tq_unique" ("lasts", "window_until");

CREATE TABLE "tq_group" (
  "id" blob PRIMARY KEY NOT NULL,
  "jobs" integer NOT NULL,
  "on_success" blob,
  "on_failure" blob,
  "on_complete" blob,
  "parent" blob,
  "created_at" bigint NOT NULL,
  "failed_at" bigint,
  "finished_at" bigint
);

CREATE INDEX "tq_group_finished" ON "tq_group" ("finished_at", "id");

CREATE TABLE "tq_member" (
  "group_id" blob NOT NULL,
  "outcome" varchar(16) NOT NULL,
  "job_id" blob NOT NULL,
  PRIMARY KEY ("group_id", "outcome", "job_id")
);

CREATE TABLE "tq_audit" (
  "id" blob PRIMARY KEY NOT NULL,
  "done_at" bigint NOT NULL,
  "who" varchar(191),
  "action" varchar(32) NOT NULL,
  "target" varchar(191) NOT NULL,
  "detail" text,
  "changed" integer NOT NULL,
  "skipped" integer NOT NULL
);

CREATE INDEX "tq_audit_time" ON "tq_audit" ("done_at", "id");

CREATE TABLE "tq_throughput" (
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
);

CREATE TABLE "tq_step" (
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
);

CREATE TABLE "tq_signal" (
  "job_id" blob NOT NULL,
  "name" varchar(191) NOT NULL,
  "sent_at" bigint NOT NULL,
  "id" blob NOT NULL,
  "data" text,
  "once" varchar(191),
  "stage" integer NOT NULL DEFAULT (0),
  PRIMARY KEY ("job_id", "name", "sent_at", "id")
);

CREATE UNIQUE INDEX "tq_signal_once"
  ON "tq_signal" ("job_id", "name", "once");

CREATE INDEX "tq_signal_stage" ON "tq_signal" ("stage", "sent_at");

CREATE TABLE "tq_ordered" (
  "place" integer PRIMARY KEY AUTOINCREMENT NOT NULL,
  "job_id" blob NOT NULL,
  "name" varchar(128) NOT NULL,
  "order_key" varchar(191) NOT NULL
);

CREATE INDEX "tq_ordered_job" ON "tq_ordered" ("job_id");

CREATE INDEX "tq_ordered_key" ON "tq_ordered" ("name", "order_key", "place");

CREATE TABLE "tq_order_key" (
  "name" varchar(128) NOT NULL,
  "order_key" varchar(191) NOT NULL,
  "job_id" blob NOT NULL,
  "blocked_at" bigint,
  PRIMARY KEY ("name", "order_key")
);

CREATE INDEX "tq_order_key_blocked" ON "tq_order_key" ("blocked_at");

CREATE TABLE "tq_event" (
  "name" varchar(64) PRIMARY KEY NOT NULL,
  "last_number" bigint NOT NULL
);

CREATE TABLE "tq_subscription" (
  "event" varchar(64) NOT NULL,
  "number" bigint NOT NULL,
  "name" varchar(63) NOT NULL,
  "queue" varchar(64) NOT NULL,
  "priority" integer NOT NULL,
  "registered_at" bigint NOT NULL,
  "handled_at" bigint NOT NULL,
  PRIMARY KEY ("event", "number")
);

CREATE INDEX "tq_subscription_handled" ON "tq_subscription" ("handled_at");

CREATE UNIQUE INDEX "tq_subscription_name" ON "tq_subscription" ("event", "name");

CREATE TABLE "tq_expiry" (
  "job_id" blob PRIMARY KEY NOT NULL,
  "check_at" bigint NOT NULL
);

CREATE INDEX "tq_expiry_due" ON "tq_expiry" ("check_at", "job_id");

CREATE TABLE "tq_tenant_rate" (
  "queue" varchar(64) NOT NULL,
  "lane" integer NOT NULL,
  "tenant" varchar(191) NOT NULL,
  "full_at" bigint NOT NULL,
  PRIMARY KEY ("queue", "lane", "tenant")
);

CREATE TABLE "tq_bulk_operation" (
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
);

CREATE INDEX "tq_bulk_operation_state" ON "tq_bulk_operation" ("state", "id");

CREATE TABLE "tq_log" (
  "job_id" blob NOT NULL,
  "attempt" integer NOT NULL,
  "seq" integer NOT NULL,
  "logged_at" bigint NOT NULL,
  "level" varchar(16) NOT NULL,
  "message" text NOT NULL,
  "fields" text,
  "dropped" integer NOT NULL DEFAULT (0),
  PRIMARY KEY ("job_id", "attempt", "seq")
);

CREATE TABLE "tq_muted_error" (
  "fingerprint" varchar(16) PRIMARY KEY NOT NULL,
  "muted_until" bigint NOT NULL
);

CREATE TABLE "tq_alert" (
  "rule" varchar(64) NOT NULL,
  "kind" varchar(32) NOT NULL,
  "found_at" bigint NOT NULL,
  "opened_at" bigint,
  "is_held" integer NOT NULL DEFAULT (0),
  "checked_at" bigint NOT NULL DEFAULT (0),
  "messages" integer NOT NULL DEFAULT (0),
  "left_out" integer NOT NULL DEFAULT (0),
  PRIMARY KEY ("rule", "kind")
);
