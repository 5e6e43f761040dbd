CREATE TABLE IF NOT EXISTS "tq_job" (
      "id" blob PRIMARY KEY NOT NULL,
      "queue" varchar(64) NOT NULL,
      "state" varchar(16) NOT NULL,
      "owner" integer NOT NULL DEFAULT (0),
      "position" bigint NOT NULL,
      "name" varchar(128) NOT NULL,
      "job_key" varchar(191),
      "unique_key" varchar(191),
      "payload" text,
      "payload_version" integer NOT NULL DEFAULT (1),
      "priority" integer NOT NULL DEFAULT (0),
      "attempt" integer NOT NULL DEFAULT (0),
      "failures" integer NOT NULL DEFAULT (0),
      "crashes" integer NOT NULL DEFAULT (0),
      "last_error" text,
      "progress" text,
      "group_id" blob,
      "tenant" varchar(191),
      "lane" integer NOT NULL DEFAULT (0),
      "trace" text,
      "created_at" bigint NOT NULL,
      "run_at" bigint NOT NULL,
      "claimed_at" bigint NOT NULL DEFAULT (0)
    );
CREATE INDEX IF NOT EXISTS "tq_job_lane"
      ON "tq_job" ("queue", "state", "owner", "position", "id");
CREATE TABLE IF NOT EXISTS "tq_history" (
      "id" blob PRIMARY KEY NOT NULL,
      "queue" varchar(64) NOT NULL,
      "state" varchar(16) NOT NULL,
      "owner" integer NOT NULL,
      "name" varchar(128) NOT NULL,
      "job_key" varchar(191),
      "payload" text,
      "payload_version" integer NOT NULL DEFAULT (1),
      "priority" integer NOT NULL,
      "attempt" integer NOT NULL,
      "failures" integer NOT NULL,
      "result" text,
      "error" text,
      "progress" text,
      "tenant" varchar(191),
      "trace" text,
      "created_at" bigint NOT NULL,
      "run_at" bigint NOT NULL,
      "claimed_at" bigint,
      "finished_at" bigint NOT NULL
    );
CREATE TABLE IF NOT EXISTS "tq_error" (
      "job_id" blob NOT NULL,
      "attempt" integer NOT NULL,
      "claimed_at" bigint NOT NULL,
      "failed_at" bigint NOT NULL,
      "error" text NOT NULL,
      PRIMARY KEY ("job_id", "attempt")
    );
CREATE TABLE IF NOT EXISTS "tq_key" (
      "job_key" varchar(191) NOT NULL,
      "job_id" blob NOT NULL,
      PRIMARY KEY ("job_key", "job_id")
    );
CREATE TABLE IF NOT EXISTS "tq_worker" (
      "id" integer PRIMARY KEY NOT NULL,
      "host" varchar(255) NOT NULL,
      "pid" integer NOT NULL,
      "version" varchar(64) NOT NULL,
      "queues" text NOT NULL,
      "started_at" bigint NOT NULL,
      "seen_at" bigint NOT NULL,
      "lease_until" bigint NOT NULL,
      "lock_name" varchar(64),
      "lock_server" bigint
    );
CREATE TABLE IF NOT EXISTS "tq_maintenance" (
      "task" varchar(64) PRIMARY KEY NOT NULL,
      "next_run_at" bigint NOT NULL
    );
CREATE TABLE IF NOT EXISTS "tq_queue" (
      "queue" varchar(64) PRIMARY KEY NOT NULL,
      "paused_at" bigint,
      "concurrency" integer,
      "tenant_concurrency" integer,
      "rate_jobs" integer,
      "rate_window" bigint,
      "window_started_at" bigint NOT NULL DEFAULT (0),
      "window_jobs" integer NOT NULL DEFAULT (0)
    );
CREATE TABLE IF NOT EXISTS "tq_cancellation" (
      "job_id" blob PRIMARY KEY NOT NULL,
      "requested_at" bigint NOT NULL
    );
CREATE TABLE IF NOT EXISTS "tq_failure" (
      "job_id" blob PRIMARY KEY NOT NULL,
      "queue" varchar(64) NOT NULL,
      "finished_at" bigint NOT NULL
    );
CREATE INDEX IF NOT EXISTS "tq_failure_time"
      ON "tq_failure" ("finished_at", "job_id", "queue");
CREATE INDEX IF NOT EXISTS "tq_failure_queue"
      ON "tq_failure" ("queue", "finished_at", "job_id");
CREATE TABLE IF NOT EXISTS "tq_schedule" (
      "name" varchar(128) PRIMARY KEY NOT NULL,
      "job_name" varchar(128) NOT NULL,
      "queue" varchar(64) NOT NULL,
      "payload" text,
      "payload_version" integer NOT NULL DEFAULT (1),
      "priority" integer NOT NULL,
      "job_key" varchar(191),
      "tenant" varchar(191),
      "cron" varchar(255),
      "time_zone" varchar(64) NOT NULL,
      "every_ms" bigint,
      "missed" varchar(16) NOT NULL,
      "no_overlap" integer NOT NULL,
      "defined_by" varchar(16) NOT NULL,
      "paused_at" bigint,
      "next_fire_at" bigint,
      "last_fire_at" bigint,
      "last_job_id" blob,
      "skipped" bigint NOT NULL DEFAULT (0),
      "last_skipped_at" bigint,
      "revision" bigint NOT NULL DEFAULT (0)
    );
CREATE INDEX IF NOT EXISTS "tq_schedule_due"
      ON "tq_schedule" ("next_fire_at", "name");
CREATE TABLE IF NOT EXISTS "tq_lock" (
      "name" varchar(191) PRIMARY KEY NOT NULL,
      "holder" varchar(36) NOT NULL,
      "lease_until" bigint NOT NULL
    );
CREATE TABLE IF NOT EXISTS "tq_unique" (
      "name" varchar(128) NOT NULL,
      "unique_key" varchar(191) NOT NULL,
      "job_id" blob NOT NULL,
      "lasts" varchar(16) NOT NULL,
      "window_until" bigint,
      PRIMARY KEY ("name", "unique_key")
    );
CREATE INDEX IF NOT EXISTS "tq_unique_window" ON "tq_unique" ("lasts", "window_until");
CREATE TABLE IF NOT EXISTS "tq_group" (
      "id" blob PRIMARY KEY NOT NULL,
      "jobs" integer NOT NULL,
      "when_succeeded" blob,
      "when_failed" blob,
      "when_done" blob,
      "created_at" bigint NOT NULL,
      "failed_at" bigint,
      "finished_at" bigint
    );
CREATE INDEX IF NOT EXISTS "tq_group_finished" ON "tq_group" ("finished_at", "id");
CREATE TABLE IF NOT EXISTS "tq_member" (
      "group_id" blob NOT NULL,
      "outcome" varchar(16) NOT NULL,
      "job_id" blob NOT NULL,
      PRIMARY KEY ("group_id", "outcome", "job_id")
    );
CREATE TABLE IF NOT EXISTS "tq_audit" (
      "id" blob PRIMARY KEY NOT NULL,
      "done_at" bigint NOT NULL,
      "who" varchar(191),
      "action" varchar(32) NOT NULL,
      "target" varchar(191) NOT NULL,
      "detail" text,
      "changed" integer NOT NULL,
      "skipped" integer NOT NULL
    );
CREATE INDEX IF NOT EXISTS "tq_audit_time" ON "tq_audit" ("done_at", "id");
CREATE TABLE IF NOT EXISTS "tq_throughput" (
      "began_at" bigint NOT NULL,
      "queue" varchar(64) NOT NULL,
      "succeeded" integer NOT NULL,
      "failed" integer NOT NULL,
      "retried" integer NOT NULL,
      "latency_sum" bigint NOT NULL,
      "latency_max" bigint NOT NULL,
      "run_sum" bigint NOT NULL,
      "run_max" bigint NOT NULL,
      PRIMARY KEY ("began_at", "queue")
    );
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20b54c41171e0bb36f3c8d52ba8d3', 'steps', 'scheduled', 0, 1795490034386, 'step', 'order:3', null, '-2', 1, 0, 1, 1, 0, 'Error: once', null, null, 'b', 1908338681, null, 1795486434322, 1795490034386, 1795486434331);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20b54c41477dc9b70e90709944e49', 'paused', 'ready', 0, 1795486434325, 'paused', null, null, '11', 1, 0, 0, 0, 0, null, null, X'01a20b54c41477dc9b70e3dd141027cc', null, 0, null, 1795486434325, 1795486434325, 0);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20b54c41477dc9b70ed6c153c6d37', 'callbacks', 'waiting', 0, 1795486434325, 'callback', null, null, null, 1, 0, 0, 0, 0, null, null, null, null, 0, null, 1795486434325, 1795486434325, 0);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20b54c42576d4b5d914cdc45a7d39', 'held', 'running', 2211597400, 2, 'held', null, null, '1', 1, 0, 1, 0, 0, null, null, null, null, 0, null, 1795486434341, 1795486434341, 1795486434382);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20b54c42576d4b5d919fc954747c1', 'held', 'running', 2211597400, 2, 'held', 'cancelled', null, '2', 1, 0, 1, 0, 0, null, null, null, null, 0, null, 1795486434341, 1795486434341, 1795486434382);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20b54c42975fbae5d04e5d011228f', 'once', 'scheduled', 0, 1795490034346, 'once', null, 'unfinished', '2', 1, 0, 0, 0, 0, null, null, null, null, 0, '{}', 1795486434346, 1795490034346, 0);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20b54c42b746c9f0ccc604819ee46', 'once', 'scheduled', 0, 1795490034348, 'once', null, 'queued', '3', 1, 0, 0, 0, 0, null, null, null, null, 0, '{}', 1795486434348, 1795490034348, 0);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20b54c42d77dd923b605aec71e8bc', 'once', 'scheduled', 0, 1795490034350, 'once', null, null, '4', 1, 0, 0, 0, 0, null, null, null, null, 0, '{}', 1795486434350, 1795490034350, 0);
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a20b54c4177502b622378902c625c9', 'once', 'cancelled', 0, 'once', null, '1', 1, 0, 0, 0, null, null, null, null, null, 1795486434335, 1795490034335, null, 1795486434339);
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a20b54c41071cd88e216fc540d472e', 'steps', 'succeeded', 2211597400, 'step', 'order:1', '1', 1, -2, 1, 0, '{"number":1}', null, '{"half":1}', 'a', null, 1795486434322, 1795486434322, 1795486434331, 1795486434398);
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a20b54c41171e0bb36ecc4b42f2d12', 'steps', 'failed', 2211597400, 'step', 'order:2', '-1', 1, 0, 1, 1, null, 'Error: refused', '{"half":-1}', null, null, 1795486434322, 1795486434322, 1795486434331, 1795486434398);
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a20b54c41477dc9b70e537c1ea7cd2', 'steps', 'succeeded', 2211597400, 'step', null, '10', 1, 0, 1, 0, '{"number":10}', null, '{"half":10}', null, null, 1795486434325, 1795486434325, 1795486434331, 1795486434398);
INSERT INTO tq_error (job_id, attempt, claimed_at, failed_at, error) VALUES (X'01a20b54c41171e0bb36f3c8d52ba8d3', 1, 1795486434331, 1795486434386, 'Error: once');
INSERT INTO tq_error (job_id, attempt, claimed_at, failed_at, error) VALUES (X'01a20b54c41171e0bb36ecc4b42f2d12', 1, 1795486434331, 1795486434398, 'Error: refused');
INSERT INTO tq_key (job_key, job_id) VALUES ('order:1', X'01a20b54c41071cd88e216fc540d472e');
INSERT INTO tq_key (job_key, job_id) VALUES ('order:2', X'01a20b54c41171e0bb36ecc4b42f2d12');
INSERT INTO tq_key (job_key, job_id) VALUES ('order:3', X'01a20b54c41171e0bb36f3c8d52ba8d3');
INSERT INTO tq_key (job_key, job_id) VALUES ('cancelled', X'01a20b54c42576d4b5d919fc954747c1');
INSERT INTO tq_worker (id, host, pid, version, queues, started_at, seen_at, lease_until, lock_name, lock_server) VALUES (2211597400, 'worker-1', 1, '0.1.0', '["held","steps"]', 1795486434318, 1795486434318, 1795486464318, null, null);
INSERT INTO tq_maintenance (task, next_run_at) VALUES ('anything', 1795486434417);
INSERT INTO tq_queue (queue, paused_at, concurrency, tenant_concurrency, rate_jobs, rate_window, window_started_at, window_jobs) VALUES ('paused', 1795486434373, 1, 1, 5, 60000, 0, 0);
INSERT INTO tq_cancellation (job_id, requested_at) VALUES (X'01a20b54c42576d4b5d919fc954747c1', 1795486434407);
INSERT INTO tq_failure (job_id, queue, finished_at) VALUES (X'01a20b54c41171e0bb36ecc4b42f2d12', 'steps', 1795486434398);
INSERT INTO tq_schedule (name, job_name, queue, payload, payload_version, priority, job_key, tenant, cron, time_zone, every_ms, missed, no_overlap, defined_by, paused_at, next_fire_at, last_fire_at, last_job_id, skipped, last_skipped_at, revision) VALUES ('daily', 'tick', 'ticks', '"daily"', 1, 0, null, null, '30 2 * * *', 'Europe/Berlin', null, 'once', 0, 'api', null, 1795570200000, null, null, 0, null, 0);
INSERT INTO tq_schedule (name, job_name, queue, payload, payload_version, priority, job_key, tenant, cron, time_zone, every_ms, missed, no_overlap, defined_by, paused_at, next_fire_at, last_fire_at, last_job_id, skipped, last_skipped_at, revision) VALUES ('hourly', 'tick', 'ticks', '"hourly"', 1, 0, null, null, null, 'UTC', 3600000, 'skip', 0, 'api', 1795486434370, null, null, null, 0, null, 1);
INSERT INTO tq_lock (name, holder, lease_until) VALUES ('report', 'somebody', 1795486434417);
INSERT INTO tq_unique (name, unique_key, job_id, lasts, window_until) VALUES ('once', 'unfinished', X'01a20b54c42975fbae5d04e5d011228f', 'unfinished', null);
INSERT INTO tq_unique (name, unique_key, job_id, lasts, window_until) VALUES ('once', 'queued', X'01a20b54c42b746c9f0ccc604819ee46', 'queued', null);
INSERT INTO tq_unique (name, unique_key, job_id, lasts, window_until) VALUES ('once', 'window', X'01a20b54c42d77dd923b605aec71e8bc', 'window', 1795490034350);
INSERT INTO tq_group (id, jobs, when_succeeded, when_failed, when_done, created_at, failed_at, finished_at) VALUES (X'01a20b54c41477dc9b70e3dd141027cc', 2, null, null, X'01a20b54c41477dc9b70ed6c153c6d37', 1795486434325, null, null);
INSERT INTO tq_member (group_id, outcome, job_id) VALUES (X'01a20b54c41477dc9b70e3dd141027cc', 'succeeded', X'01a20b54c41477dc9b70e537c1ea7cd2');
INSERT INTO tq_member (group_id, outcome, job_id) VALUES (X'01a20b54c41477dc9b70e3dd141027cc', 'open', X'01a20b54c41477dc9b70e90709944e49');
INSERT INTO tq_audit (id, done_at, who, action, target, detail, changed, skipped) VALUES (X'01a20b54c445732baa1d429a8bce9d41', 1795486434373, 'mary', 'pause', 'queue paused', null, 1, 0);
INSERT INTO tq_throughput (began_at, queue, succeeded, failed, retried, latency_sum, latency_max, run_sum, run_max) VALUES (1795486380000, 'steps', 1, 1, 1, 9, 3, 6, 2);
