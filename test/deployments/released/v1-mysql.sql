CREATE TABLE IF NOT EXISTS `tq_job` (
      `id` BINARY(16) NOT NULL,
      `queue` VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `state` ENUM('waiting', 'scheduled', 'ready', 'running') NOT NULL,
      `owner` INT UNSIGNED NOT NULL DEFAULT 0,
      `position` BIGINT NOT NULL,
      `name` VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `job_key` VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `unique_key` VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `payload` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `payload_version` SMALLINT UNSIGNED NOT NULL DEFAULT 1,
      `priority` SMALLINT NOT NULL DEFAULT 0,
      `attempt` INT UNSIGNED NOT NULL DEFAULT 0,
      `failures` INT UNSIGNED NOT NULL DEFAULT 0,
      `crashes` INT UNSIGNED NOT NULL DEFAULT 0,
      `last_error` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `progress` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `group_id` BINARY(16) NULL,
      `tenant` VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `lane` INT UNSIGNED NOT NULL DEFAULT 0,
      `trace` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `created_at` BIGINT NOT NULL,
      `run_at` BIGINT NOT NULL,
      `claimed_at` BIGINT NULL,
      PRIMARY KEY (`id`),
      INDEX `tq_job_lane` (`queue`, `state`, `owner`, `position`, `id`)
    ) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `tq_history` (
      `id` BINARY(16) NOT NULL,
      `queue` VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `state` ENUM('succeeded', 'failed', 'cancelled') NOT NULL,
      `owner` INT UNSIGNED NOT NULL,
      `name` VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `job_key` VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `payload` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `payload_version` SMALLINT UNSIGNED NOT NULL DEFAULT 1,
      `priority` SMALLINT NOT NULL,
      `attempt` INT UNSIGNED NOT NULL,
      `failures` INT UNSIGNED NOT NULL,
      `result` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `error` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `progress` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `tenant` VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `trace` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `created_at` BIGINT NOT NULL,
      `run_at` BIGINT NOT NULL,
      `claimed_at` BIGINT NULL,
      `finished_at` BIGINT NOT NULL,
      PRIMARY KEY (`id`)
    ) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `tq_error` (
      `job_id` BINARY(16) NOT NULL,
      `attempt` INT UNSIGNED NOT NULL,
      `claimed_at` BIGINT NOT NULL,
      `failed_at` BIGINT NOT NULL,
      `error` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
      PRIMARY KEY (`job_id`, `attempt`)
    ) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `tq_key` (
      `job_key` VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
      `job_id` BINARY(16) NOT NULL,
      PRIMARY KEY (`job_key`, `job_id`)
    ) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `tq_worker` (
      `id` INT UNSIGNED NOT NULL,
      `host` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
      `pid` INT UNSIGNED NOT NULL,
      `version` VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `queues` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
      `started_at` BIGINT NOT NULL,
      `seen_at` BIGINT NOT NULL,
      `lease_until` BIGINT NOT NULL,
      `lock_name` VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
      `lock_server` BIGINT NULL,
      PRIMARY KEY (`id`)
    ) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `tq_maintenance` (
      `task` VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `next_run_at` BIGINT NOT NULL,
      PRIMARY KEY (`task`)
    ) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `tq_queue` (
      `queue` VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `paused_at` BIGINT NULL,
      `concurrency` INT UNSIGNED NULL,
      `tenant_concurrency` INT UNSIGNED NULL,
      `rate_jobs` INT UNSIGNED NULL,
      `rate_window` BIGINT NULL,
      `window_started_at` BIGINT NOT NULL DEFAULT 0,
      `window_jobs` INT UNSIGNED NOT NULL DEFAULT 0,
      PRIMARY KEY (`queue`)
    ) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `tq_cancellation` (
      `job_id` BINARY(16) NOT NULL,
      `requested_at` BIGINT NOT NULL,
      PRIMARY KEY (`job_id`)
    ) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `tq_failure` (
      `job_id` BINARY(16) NOT NULL,
      `queue` VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `finished_at` BIGINT NOT NULL,
      PRIMARY KEY (`job_id`),
      INDEX `tq_failure_time` (`finished_at`, `job_id`, `queue`),
      INDEX `tq_failure_queue` (`queue`, `finished_at`, `job_id`)
    ) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `tq_schedule` (
      `name` VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `job_name` VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `queue` VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `payload` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `payload_version` SMALLINT UNSIGNED NOT NULL DEFAULT 1,
      `priority` SMALLINT NOT NULL,
      `job_key` VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `tenant` VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `cron` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL,
      `time_zone` VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `every_ms` BIGINT NULL,
      `missed` ENUM('skip', 'once', 'all') NOT NULL,
      `no_overlap` SMALLINT NOT NULL,
      `defined_by` ENUM('code', 'api') NOT NULL,
      `paused_at` BIGINT NULL,
      `next_fire_at` BIGINT NULL,
      `last_fire_at` BIGINT NULL,
      `last_job_id` BINARY(16) NULL,
      `skipped` BIGINT NOT NULL DEFAULT 0,
      `last_skipped_at` BIGINT NULL,
      `revision` BIGINT NOT NULL DEFAULT 0,
      PRIMARY KEY (`name`),
      INDEX `tq_schedule_due` (`next_fire_at`, `name`)
    ) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `tq_lock` (
      `name` VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
      `holder` VARCHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `lease_until` BIGINT NOT NULL,
      PRIMARY KEY (`name`)
    ) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `tq_unique` (
      `name` VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `unique_key` VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
      `job_id` BINARY(16) NOT NULL,
      `lasts` ENUM('queued', 'unfinished', 'window') NOT NULL,
      `window_until` BIGINT NULL,
      PRIMARY KEY (`name`, `unique_key`),
      INDEX `tq_unique_window` (`lasts`, `window_until`)
    ) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `tq_group` (
      `id` BINARY(16) NOT NULL,
      `jobs` INT UNSIGNED NOT NULL,
      `when_succeeded` BINARY(16) NULL,
      `when_failed` BINARY(16) NULL,
      `when_done` BINARY(16) NULL,
      `created_at` BIGINT NOT NULL,
      `failed_at` BIGINT NULL,
      `finished_at` BIGINT NULL,
      PRIMARY KEY (`id`),
      INDEX `tq_group_finished` (`finished_at`, `id`)
    ) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `tq_member` (
      `group_id` BINARY(16) NOT NULL,
      `outcome` VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `job_id` BINARY(16) NOT NULL,
      PRIMARY KEY (`group_id`, `outcome`, `job_id`)
    ) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `tq_audit` (
      `id` BINARY(16) NOT NULL,
      `done_at` BIGINT NOT NULL,
      `who` VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `action` VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `target` VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
      `detail` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
      `changed` INT UNSIGNED NOT NULL,
      `skipped` INT UNSIGNED NOT NULL,
      PRIMARY KEY (`id`),
      INDEX `tq_audit_time` (`done_at`, `id`)
    ) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS `tq_throughput` (
      `began_at` BIGINT NOT NULL,
      `queue` VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      `succeeded` INT UNSIGNED NOT NULL,
      `failed` INT UNSIGNED NOT NULL,
      `retried` INT UNSIGNED NOT NULL,
      `latency_sum` BIGINT NOT NULL,
      `latency_max` BIGINT NOT NULL,
      `run_sum` BIGINT NOT NULL,
      `run_max` BIGINT NOT NULL,
      PRIMARY KEY (`began_at`, `queue`)
    ) ENGINE=InnoDB;
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20090372970f690e823e3547245fa', 'steps', 'scheduled', 0, '1795309381071', 'step', 'order:3', null, '-2', 1, 0, 1, 1, 0, 'Error: once', null, null, 'b', 1908338681, null, '1795305781037', '1795309381071', '1795305781044');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20090372f743d8a69d192bd03063e', 'paused', 'ready', 0, '1795305781041', 'paused', null, null, '11', 1, 0, 0, 0, 0, null, null, X'01a20090372f743d8a69ca491ae09a35', null, 0, null, '1795305781041', '1795305781041', null);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20090372f743d8a69d720d80c2e18', 'callbacks', 'waiting', 0, '1795305781041', 'callback', null, null, null, 1, 0, 0, 0, 0, null, null, null, null, 0, null, '1795305781041', '1795305781041', null);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20090373f7102855e373a87e6f8d9', 'held', 'running', 2928071563, '3', 'held', null, null, '1', 1, 0, 1, 0, 0, null, null, null, null, 0, null, '1795305781057', '1795305781057', '1795305781064');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20090374077ef8b55d49ec1795998', 'held', 'running', 2928071563, '3', 'held', 'cancelled', null, '2', 1, 0, 1, 0, 0, null, null, null, null, 0, null, '1795305781057', '1795305781057', '1795305781064');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a2009037427473babc9532ae3d9f5b', 'once', 'scheduled', 0, '1795309381067', 'once', null, 'unfinished', '2', 1, 0, 0, 0, 0, null, null, null, null, 0, '{}', '1795305781067', '1795309381067', null);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20090374e77b098529f3c2691af9c', 'once', 'scheduled', 0, '1795309381073', 'once', null, 'queued', '3', 1, 0, 0, 0, 0, null, null, null, null, 0, '{}', '1795305781073', '1795309381073', null);
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20090375376f8b635b47202b6b517', 'once', 'scheduled', 0, '1795309381077', 'once', null, null, '4', 1, 0, 0, 0, 0, null, null, null, null, 0, '{}', '1795305781077', '1795309381077', null);
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a20090372970f690e81bf268e1ec19', 'steps', 'succeeded', 2928071563, 'step', 'order:1', '1', 1, -2, 1, 0, '{"number":1}', null, '{"half":1}', 'a', null, '1795305781037', '1795305781037', '1795305781044', '1795305781053');
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a20090372970f690e81f4e02bd97f4', 'steps', 'failed', 2928071563, 'step', 'order:2', '-1', 1, 0, 1, 1, null, 'Error: refused', '{"half":-1}', null, null, '1795305781037', '1795305781037', '1795305781044', '1795305781053');
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a20090372f743d8a69cebf6d4bd6d7', 'steps', 'succeeded', 2928071563, 'step', null, '10', 1, 0, 1, 0, '{"number":10}', null, '{"half":10}', null, null, '1795305781041', '1795305781041', '1795305781050', '1795305781067');
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a2009037347661b25ffb467a368224', 'once', 'cancelled', 0, 'once', null, '1', 1, 0, 0, 0, null, null, null, null, null, '1795305781045', '1795309381045', null, '1795305781052');
INSERT INTO tq_error (job_id, attempt, claimed_at, failed_at, error) VALUES (X'01a20090372970f690e81f4e02bd97f4', 1, '1795305781050', '1795305781055', 'Error: refused');
INSERT INTO tq_error (job_id, attempt, claimed_at, failed_at, error) VALUES (X'01a20090372970f690e823e3547245fa', 1, '1795305781067', '1795305781072', 'Error: once');
INSERT INTO tq_key (job_key, job_id) VALUES ('cancelled', X'01a20090374077ef8b55d49ec1795998');
INSERT INTO tq_key (job_key, job_id) VALUES ('order:1', X'01a20090372970f690e81bf268e1ec19');
INSERT INTO tq_key (job_key, job_id) VALUES ('order:2', X'01a20090372970f690e81f4e02bd97f4');
INSERT INTO tq_key (job_key, job_id) VALUES ('order:3', X'01a20090372970f690e823e3547245fa');
INSERT INTO tq_worker (id, host, pid, version, queues, started_at, seen_at, lease_until, lock_name, lock_server) VALUES (2928071563, 'worker-1', 1, '0.1.0', '["held","steps"]', '1795305781032', '1795305781032', '1795305811032', 'tq-worker-252a5b2f-108d-4b37-843f-ec4f45729f02', '215076582743780');
INSERT INTO tq_maintenance (task, next_run_at) VALUES ('anything', '1795305781099');
INSERT INTO tq_queue (queue, paused_at, concurrency, tenant_concurrency, rate_jobs, rate_window, window_started_at, window_jobs) VALUES ('paused', '1795305781084', 1, 1, 5, '60000', '0', 0);
INSERT INTO tq_cancellation (job_id, requested_at) VALUES (X'01a20090374077ef8b55d49ec1795998', '1795305781092');
INSERT INTO tq_failure (job_id, queue, finished_at) VALUES (X'01a20090372970f690e81f4e02bd97f4', 'steps', '1795305781053');
INSERT INTO tq_schedule (name, job_name, queue, payload, payload_version, priority, job_key, tenant, cron, time_zone, every_ms, missed, no_overlap, defined_by, paused_at, next_fire_at, last_fire_at, last_job_id, skipped, last_skipped_at, revision) VALUES ('daily', 'tick', 'ticks', '"daily"', 1, 0, null, null, '30 2 * * *', 'Europe/Berlin', null, 'once', 0, 'api', null, '1795311000000', null, null, '0', null, '0');
INSERT INTO tq_schedule (name, job_name, queue, payload, payload_version, priority, job_key, tenant, cron, time_zone, every_ms, missed, no_overlap, defined_by, paused_at, next_fire_at, last_fire_at, last_job_id, skipped, last_skipped_at, revision) VALUES ('hourly', 'tick', 'ticks', '"hourly"', 1, 0, null, null, null, 'UTC', '3600000', 'skip', 0, 'api', '1795305781083', null, null, null, '0', null, '1');
INSERT INTO tq_lock (name, holder, lease_until) VALUES ('report', 'somebody', '1795305781099');
INSERT INTO tq_unique (name, unique_key, job_id, lasts, window_until) VALUES ('once', 'queued', X'01a20090374e77b098529f3c2691af9c', 'queued', null);
INSERT INTO tq_unique (name, unique_key, job_id, lasts, window_until) VALUES ('once', 'unfinished', X'01a2009037427473babc9532ae3d9f5b', 'unfinished', null);
INSERT INTO tq_unique (name, unique_key, job_id, lasts, window_until) VALUES ('once', 'window', X'01a20090375376f8b635b47202b6b517', 'window', '1795309381076');
INSERT INTO tq_group (id, jobs, when_succeeded, when_failed, when_done, created_at, failed_at, finished_at) VALUES (X'01a20090372f743d8a69ca491ae09a35', 2, null, null, X'01a20090372f743d8a69d720d80c2e18', '1795305781040', null, null);
INSERT INTO tq_member (group_id, outcome, job_id) VALUES (X'01a20090372f743d8a69ca491ae09a35', 'open', X'01a20090372f743d8a69d192bd03063e');
INSERT INTO tq_member (group_id, outcome, job_id) VALUES (X'01a20090372f743d8a69ca491ae09a35', 'succeeded', X'01a20090372f743d8a69cebf6d4bd6d7');
INSERT INTO tq_audit (id, done_at, who, action, target, detail, changed, skipped) VALUES (X'01a20090375c75b1a960edc33c99ddc6', '1795305781085', 'mary', 'pause', 'queue paused', null, 1, 0);
INSERT INTO tq_throughput (began_at, queue, succeeded, failed, retried, latency_sum, latency_max, run_sum, run_max) VALUES ('1795305780000', 'steps', 1, 1, 1, '9', '3', '6', '2');
