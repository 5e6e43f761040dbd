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
      "unique_key" varchar(191),
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
      "on_success" blob,
      "on_failure" blob,
      "on_complete" blob,
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
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a218a0e54d71c6b68ce67d00d05fe9', 'steps', 'scheduled', 0, 1795713127427, 'step', 'order:3', null, '-2', 1, 0, 1, 1, 0, 'Error: once', null, null, 'b', 1908338681, null, 1795709527374, 1795713127427, 1795709527381);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a218a0e551708c89fe9d194dd563f2', 'paused', 'ready', 0, 1795709527377, 'paused', null, null, '11', 1, 0, 0, 0, 0, null, null, X'01a218a0e55071ba824b3341c54a410c', null, 0, null, 1795709527377, 1795709527377, 0);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a218a0e551708c89fea1a2d7a822ae', 'callbacks', 'waiting', 0, 1795709527377, 'callback', null, null, null, 1, 0, 0, 0, 0, null, null, null, null, 0, null, 1795709527377, 1795709527377, 0);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a218a0e55976cfa3dff24c3e18cb78', 'held', 'running', 188599543, 2, 'held', null, null, '1', 1, 0, 1, 0, 0, null, null, null, null, 0, null, 1795709527386, 1795709527386, 1795709527422);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a218a0e55976cfa3dff6e4f33a9688', 'held', 'running', 188599543, 2, 'held', 'cancelled', null, '2', 1, 0, 1, 0, 0, null, null, null, null, 0, null, 1795709527386, 1795709527386, 1795709527422);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a218a0e55a770c952273224745c9fd', 'once', 'scheduled', 0, 1795713127388, 'once', null, 'unfinished', '2', 1, 0, 0, 0, 0, null, null, null, null, 0, '{}', 1795709527388, 1795713127388, 0);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a218a0e55c72f6b16ac9b2456f1492', 'once', 'scheduled', 0, 1795713127389, 'once', null, 'queued', '3', 1, 0, 0, 0, 0, null, null, null, null, 0, '{}', 1795709527389, 1795713127389, 0);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a218a0e55d76beb35ffc6a75a4b84d', 'once', 'scheduled', 0, 1795713127392, 'once', null, null, '4', 1, 0, 0, 0, 0, null, null, null, null, 0, '{}', 1795709527392, 1795713127392, 0);
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a218a0e55270f39b13391abdedfc4c', 'once', 'cancelled', 0, 'once', null, '1', 1, 0, 0, 0, null, null, null, null, null, 1795709527383, 1795713127383, null, 1795709527385);
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a218a0e54d71c6b68cdfb4167c7d2c', 'steps', 'succeeded', 188599543, 'step', 'order:1', '1', 1, -2, 1, 0, '{"number":1}', null, '{"half":1}', 'a', null, 1795709527374, 1795709527374, 1795709527381, 1795709527429);
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a218a0e54d71c6b68ce12d0170e187', 'steps', 'failed', 188599543, 'step', 'order:2', '-1', 1, 0, 1, 1, null, 'Error: refused', '{"half":-1}', null, null, 1795709527374, 1795709527374, 1795709527381, 1795709527429);
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a218a0e55071ba824b37b725db80ac', 'steps', 'succeeded', 188599543, 'step', null, '10', 1, 0, 1, 0, '{"number":10}', null, '{"half":10}', null, null, 1795709527377, 1795709527377, 1795709527381, 1795709527429);
INSERT INTO tq_error (job_id, attempt, claimed_at, failed_at, error) VALUES (X'01a218a0e54d71c6b68ce67d00d05fe9', 1, 1795709527381, 1795709527427, 'Error: once');
INSERT INTO tq_error (job_id, attempt, claimed_at, failed_at, error) VALUES (X'01a218a0e54d71c6b68ce12d0170e187', 1, 1795709527381, 1795709527429, 'Error: refused');
INSERT INTO tq_key (job_key, job_id) VALUES ('order:1', X'01a218a0e54d71c6b68cdfb4167c7d2c');
INSERT INTO tq_key (job_key, job_id) VALUES ('order:2', X'01a218a0e54d71c6b68ce12d0170e187');
INSERT INTO tq_key (job_key, job_id) VALUES ('order:3', X'01a218a0e54d71c6b68ce67d00d05fe9');
INSERT INTO tq_key (job_key, job_id) VALUES ('cancelled', X'01a218a0e55976cfa3dff6e4f33a9688');
INSERT INTO tq_worker (id, host, pid, version, queues, started_at, seen_at, lease_until, lock_name, lock_server) VALUES (188599543, 'worker-1', 1, '0.1.0', '["held","steps"]', 1795709527372, 1795709527372, 1795709557372, null, null);
INSERT INTO tq_maintenance (task, next_run_at) VALUES ('anything', 1795709527438);
INSERT INTO tq_queue (queue, paused_at, concurrency, tenant_concurrency, rate_jobs, rate_window, window_started_at, window_jobs) VALUES ('paused', 1795709527411, 1, 1, 5, 60000, 0, 0);
INSERT INTO tq_cancellation (job_id, requested_at) VALUES (X'01a218a0e55976cfa3dff6e4f33a9688', 1795709527432);
INSERT INTO tq_failure (job_id, queue, finished_at) VALUES (X'01a218a0e54d71c6b68ce12d0170e187', 'steps', 1795709527429);
INSERT INTO tq_schedule (name, job_name, queue, payload, payload_version, priority, job_key, tenant, cron, time_zone, every_ms, catch_up, overlap, defined_by, paused_at, next_fire_at, last_fire_at, last_job_id, skipped, last_skipped_at, revision) VALUES ('daily', 'tick', 'ticks', '"daily"', 1, 0, null, null, '30 2 * * *', 'Europe/Berlin', null, 'latest', 1, 'api', null, 1795743000000, null, null, 0, null, 0);
INSERT INTO tq_schedule (name, job_name, queue, payload, payload_version, priority, job_key, tenant, cron, time_zone, every_ms, catch_up, overlap, defined_by, paused_at, next_fire_at, last_fire_at, last_job_id, skipped, last_skipped_at, revision) VALUES ('hourly', 'tick', 'ticks', '"hourly"', 1, 0, null, null, null, 'UTC', 3600000, 'none', 1, 'api', 1795709527409, null, null, null, 0, null, 1);
INSERT INTO tq_lock (name, holder, lease_until) VALUES ('report', 'worker-1', 1795709527438);
INSERT INTO tq_unique (name, unique_key, job_id, lasts, window_until) VALUES ('once', 'unfinished', X'01a218a0e55a770c952273224745c9fd', 'unfinished', null);
INSERT INTO tq_unique (name, unique_key, job_id, lasts, window_until) VALUES ('once', 'queued', X'01a218a0e55c72f6b16ac9b2456f1492', 'queued', null);
INSERT INTO tq_unique (name, unique_key, job_id, lasts, window_until) VALUES ('once', 'window', X'01a218a0e55d76beb35ffc6a75a4b84d', 'window', 1795713127392);
INSERT INTO tq_group (id, jobs, on_success, on_failure, on_complete, created_at, failed_at, finished_at) VALUES (X'01a218a0e55071ba824b3341c54a410c', 2, null, null, X'01a218a0e551708c89fea1a2d7a822ae', 1795709527377, null, null);
INSERT INTO tq_member (group_id, outcome, job_id) VALUES (X'01a218a0e55071ba824b3341c54a410c', 'succeeded', X'01a218a0e55071ba824b37b725db80ac');
INSERT INTO tq_member (group_id, outcome, job_id) VALUES (X'01a218a0e55071ba824b3341c54a410c', 'open', X'01a218a0e551708c89fe9d194dd563f2');
INSERT INTO tq_audit (id, done_at, who, action, target, detail, changed, skipped) VALUES (X'01a218a0e572735984e6e5e488f8316a', 1795709527411, 'mary', 'pause', 'queue paused', null, 1, 0);
INSERT INTO tq_throughput (began_at, queue, succeeded, failed, retried, latency_sum, latency_max, run_sum, run_max) VALUES (1795709520000, 'steps', 1, 1, 1, 9, 3, 6, 2);
