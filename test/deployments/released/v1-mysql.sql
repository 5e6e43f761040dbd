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
      `claimed_at` BIGINT NOT NULL DEFAULT 0,
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
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20b54c7357273b42db7b24ae84f81', 'steps', 'scheduled', 0, '1795490035146', 'step', 'order:3', null, '-2', 1, 0, 1, 1, 0, 'Error: once', null, null, 'b', 1908338681, null, '1795486435129', '1795490035146', '1795486435138');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20b54c73a776b9cf86f627fecf7f3', 'paused', 'ready', 0, '1795486435133', 'paused', null, null, '11', 1, 0, 0, 0, 0, null, null, X'01a20b54c73a776b9cf867e81f0bd2e7', null, 0, null, '1795486435133', '1795486435133', '0');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20b54c73a776b9cf87041978d8516', 'callbacks', 'waiting', 0, '1795486435133', 'callback', null, null, null, 1, 0, 0, 0, 0, null, null, null, null, 0, null, '1795486435133', '1795486435133', '0');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20b54c753745fa34ddd994cffd5c7', 'held', 'running', 942988732, '3', 'held', null, null, '1', 1, 0, 1, 0, 0, null, null, null, null, 0, null, '1795486435157', '1795486435157', '1795486435162');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20b54c753745fa34de211568b8931', 'held', 'running', 942988732, '3', 'held', 'cancelled', null, '2', 1, 0, 1, 0, 0, null, null, null, null, 0, null, '1795486435157', '1795486435157', '1795486435162');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20b54c75676da80c34429cc9b388f', 'once', 'scheduled', 0, '1795490035167', 'once', null, 'unfinished', '2', 1, 0, 0, 0, 0, null, null, null, null, 0, '{}', '1795486435167', '1795490035167', '0');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20b54c76173ada55be8ad31765791', 'once', 'scheduled', 0, '1795490035175', 'once', null, 'queued', '3', 1, 0, 0, 0, 0, null, null, null, null, 0, '{}', '1795486435175', '1795490035175', '0');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a20b54c7687125bf57304a968d5f2b', 'once', 'scheduled', 0, '1795490035181', 'once', null, null, '4', 1, 0, 0, 0, 0, null, null, null, null, 0, '{}', '1795486435181', '1795490035181', '0');
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a20b54c7357273b42dac246d64d3da', 'steps', 'succeeded', 942988732, 'step', 'order:1', '1', 1, -2, 1, 0, '{"number":1}', null, '{"half":1}', 'a', null, '1795486435129', '1795486435129', '1795486435138', '1795486435164');
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a20b54c7357273b42db37908565767', 'steps', 'failed', 942988732, 'step', 'order:2', '-1', 1, 0, 1, 1, null, 'Error: refused', '{"half":-1}', null, null, '1795486435129', '1795486435129', '1795486435138', '1795486435164');
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a20b54c73a776b9cf8692335652971', 'steps', 'succeeded', 942988732, 'step', null, '10', 1, 0, 1, 0, '{"number":10}', null, '{"half":10}', null, null, '1795486435133', '1795486435133', '1795486435145', '1795486435173');
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a20b54c741771a92a8322b5d1eee94', 'once', 'cancelled', 0, 'once', null, '1', 1, 0, 0, 0, null, null, null, null, null, '1795486435138', '1795490035138', null, '1795486435150');
INSERT INTO tq_error (job_id, attempt, claimed_at, failed_at, error) VALUES (X'01a20b54c7357273b42db37908565767', 1, '1795486435138', '1795486435168', 'Error: refused');
INSERT INTO tq_error (job_id, attempt, claimed_at, failed_at, error) VALUES (X'01a20b54c7357273b42db7b24ae84f81', 1, '1795486435138', '1795486435149', 'Error: once');
INSERT INTO tq_key (job_key, job_id) VALUES ('cancelled', X'01a20b54c753745fa34de211568b8931');
INSERT INTO tq_key (job_key, job_id) VALUES ('order:1', X'01a20b54c7357273b42dac246d64d3da');
INSERT INTO tq_key (job_key, job_id) VALUES ('order:2', X'01a20b54c7357273b42db37908565767');
INSERT INTO tq_key (job_key, job_id) VALUES ('order:3', X'01a20b54c7357273b42db7b24ae84f81');
INSERT INTO tq_worker (id, host, pid, version, queues, started_at, seen_at, lease_until, lock_name, lock_server) VALUES (942988732, 'worker-1', 1, '0.1.0', '["held","steps"]', '1795486435125', '1795486435125', '1795486465125', 'tq-worker-70b99a46-ac88-43dd-9c64-6e783dcbcb63', '125477847675049');
INSERT INTO tq_maintenance (task, next_run_at) VALUES ('anything', '1795486435212');
INSERT INTO tq_queue (queue, paused_at, concurrency, tenant_concurrency, rate_jobs, rate_window, window_started_at, window_jobs) VALUES ('paused', '1795486435194', 1, 1, 5, '60000', '0', 0);
INSERT INTO tq_cancellation (job_id, requested_at) VALUES (X'01a20b54c753745fa34de211568b8931', '1795486435206');
INSERT INTO tq_failure (job_id, queue, finished_at) VALUES (X'01a20b54c7357273b42db37908565767', 'steps', '1795486435164');
INSERT INTO tq_schedule (name, job_name, queue, payload, payload_version, priority, job_key, tenant, cron, time_zone, every_ms, missed, no_overlap, defined_by, paused_at, next_fire_at, last_fire_at, last_job_id, skipped, last_skipped_at, revision) VALUES ('daily', 'tick', 'ticks', '"daily"', 1, 0, null, null, '30 2 * * *', 'Europe/Berlin', null, 'once', 0, 'api', null, '1795570200000', null, null, '0', null, '0');
INSERT INTO tq_schedule (name, job_name, queue, payload, payload_version, priority, job_key, tenant, cron, time_zone, every_ms, missed, no_overlap, defined_by, paused_at, next_fire_at, last_fire_at, last_job_id, skipped, last_skipped_at, revision) VALUES ('hourly', 'tick', 'ticks', '"hourly"', 1, 0, null, null, null, 'UTC', '3600000', 'skip', 0, 'api', '1795486435190', null, null, null, '0', null, '1');
INSERT INTO tq_lock (name, holder, lease_until) VALUES ('report', 'somebody', '1795486435212');
INSERT INTO tq_unique (name, unique_key, job_id, lasts, window_until) VALUES ('once', 'queued', X'01a20b54c76173ada55be8ad31765791', 'queued', null);
INSERT INTO tq_unique (name, unique_key, job_id, lasts, window_until) VALUES ('once', 'unfinished', X'01a20b54c75676da80c34429cc9b388f', 'unfinished', null);
INSERT INTO tq_unique (name, unique_key, job_id, lasts, window_until) VALUES ('once', 'window', X'01a20b54c7687125bf57304a968d5f2b', 'window', '1795490035179');
INSERT INTO tq_group (id, jobs, when_succeeded, when_failed, when_done, created_at, failed_at, finished_at) VALUES (X'01a20b54c73a776b9cf867e81f0bd2e7', 2, null, null, X'01a20b54c73a776b9cf87041978d8516', '1795486435131', null, null);
INSERT INTO tq_member (group_id, outcome, job_id) VALUES (X'01a20b54c73a776b9cf867e81f0bd2e7', 'open', X'01a20b54c73a776b9cf86f627fecf7f3');
INSERT INTO tq_member (group_id, outcome, job_id) VALUES (X'01a20b54c73a776b9cf867e81f0bd2e7', 'succeeded', X'01a20b54c73a776b9cf8692335652971');
INSERT INTO tq_audit (id, done_at, who, action, target, detail, changed, skipped) VALUES (X'01a20b54c77973dab833f3817bd142ae', '1795486435195', 'mary', 'pause', 'queue paused', null, 1, 0);
INSERT INTO tq_throughput (began_at, queue, succeeded, failed, retried, latency_sum, latency_max, run_sum, run_max) VALUES ('1795486380000', 'steps', 1, 1, 1, '9', '3', '6', '2');
