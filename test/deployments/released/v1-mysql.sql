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
      `unique_key` VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
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
      `catch_up` ENUM('none', 'latest', 'all') NOT NULL,
      `overlap` SMALLINT NOT NULL,
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
      `on_success` BINARY(16) NULL,
      `on_failure` BINARY(16) NULL,
      `on_complete` BINARY(16) NULL,
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
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a218a0e67b763b91cd4f37809d174e', 'steps', 'scheduled', 0, '1795713127694', 'step', 'order:3', null, '-2', 1, 0, 1, 1, 0, 'Error: once', null, null, 'b', 1908338681, null, '1795709527680', '1795713127694', '1795709527689');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a218a0e6827147826d863dd8280080', 'paused', 'ready', 0, '1795709527684', 'paused', null, null, '11', 1, 0, 0, 0, 0, null, null, X'01a218a0e6827147826d7c1a58c8626b', null, 0, null, '1795709527684', '1795709527684', '0');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a218a0e6827147826d8828a3f2f588', 'callbacks', 'waiting', 0, '1795709527684', 'callback', null, null, null, 1, 0, 0, 0, 0, null, null, null, null, 0, null, '1795709527684', '1795709527684', '0');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a218a0e691734ab7aa399531727a28', 'held', 'running', 381191172, '2', 'held', null, null, '1', 1, 0, 1, 0, 0, null, null, null, null, 0, null, '1795709527701', '1795709527701', '1795709527710');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a218a0e6927596b46b7a39f30c1b8c', 'held', 'running', 381191172, '2', 'held', 'cancelled', null, '2', 1, 0, 1, 0, 0, null, null, null, null, 0, null, '1795709527701', '1795709527701', '1795709527710');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a218a0e697722fa708a2d1ae991598', 'once', 'scheduled', 0, '1795713127710', 'once', null, 'unfinished', '2', 1, 0, 0, 0, 0, null, null, null, null, 0, '{}', '1795709527710', '1795713127710', '0');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a218a0e69f7766b7f14b5976d2a7c9', 'once', 'scheduled', 0, '1795713127714', 'once', null, 'queued', '3', 1, 0, 0, 0, 0, null, null, null, null, 0, '{}', '1795709527714', '1795713127714', '0');
INSERT INTO tq_job (id, queue, state, owner, position, name, job_key, unique_key, payload, payload_version, priority, attempt, failures, crashes, last_error, progress, group_id, tenant, lane, trace, created_at, run_at, claimed_at) VALUES (X'01a218a0e6a6729aac8d6b58791e73b8', 'once', 'scheduled', 0, '1795713127723', 'once', null, null, '4', 1, 0, 0, 0, 0, null, null, null, null, 0, '{}', '1795709527723', '1795713127723', '0');
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a218a0e67b763b91cd46aa9582f0f6', 'steps', 'succeeded', 381191172, 'step', 'order:1', '1', 1, -2, 1, 0, '{"number":1}', null, '{"half":1}', 'a', null, '1795709527680', '1795709527680', '1795709527689', '1795709527696');
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a218a0e67b763b91cd4ba5bac987e9', 'steps', 'failed', 381191172, 'step', 'order:2', '-1', 1, 0, 1, 1, null, 'Error: refused', '{"half":-1}', null, null, '1795709527680', '1795709527680', '1795709527689', '1795709527696');
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a218a0e6827147826d83c163d3e567', 'steps', 'succeeded', 381191172, 'step', null, '10', 1, 0, 1, 0, '{"number":10}', null, '{"half":10}', null, null, '1795709527684', '1795709527684', '1795709527689', '1795709527696');
INSERT INTO tq_history (id, queue, state, owner, name, job_key, payload, payload_version, priority, attempt, failures, result, error, progress, tenant, trace, created_at, run_at, claimed_at, finished_at) VALUES (X'01a218a0e685718b940f1090eced4438', 'once', 'cancelled', 0, 'once', null, '1', 1, 0, 0, 0, null, null, null, null, null, '1795709527685', '1795713127685', null, '1795709527693');
INSERT INTO tq_error (job_id, attempt, claimed_at, failed_at, error) VALUES (X'01a218a0e67b763b91cd4ba5bac987e9', 1, '1795709527689', '1795709527699', 'Error: refused');
INSERT INTO tq_error (job_id, attempt, claimed_at, failed_at, error) VALUES (X'01a218a0e67b763b91cd4f37809d174e', 1, '1795709527689', '1795709527697', 'Error: once');
INSERT INTO tq_key (job_key, job_id) VALUES ('cancelled', X'01a218a0e6927596b46b7a39f30c1b8c');
INSERT INTO tq_key (job_key, job_id) VALUES ('order:1', X'01a218a0e67b763b91cd46aa9582f0f6');
INSERT INTO tq_key (job_key, job_id) VALUES ('order:2', X'01a218a0e67b763b91cd4ba5bac987e9');
INSERT INTO tq_key (job_key, job_id) VALUES ('order:3', X'01a218a0e67b763b91cd4f37809d174e');
INSERT INTO tq_worker (id, host, pid, version, queues, started_at, seen_at, lease_until, lock_name, lock_server) VALUES (381191172, 'worker-1', 1, '0.1.0', '["held","steps"]', '1795709527675', '1795709527675', '1795709557675', 'tq-worker-77ffb2a2-3d8d-417e-866f-0fb04348b697', '30192579627845');
INSERT INTO tq_maintenance (task, next_run_at) VALUES ('anything', '1795709527746');
INSERT INTO tq_queue (queue, paused_at, concurrency, tenant_concurrency, rate_jobs, rate_window, window_started_at, window_jobs) VALUES ('paused', '1795709527732', 1, 1, 5, '60000', '0', 0);
INSERT INTO tq_cancellation (job_id, requested_at) VALUES (X'01a218a0e6927596b46b7a39f30c1b8c', '1795709527741');
INSERT INTO tq_failure (job_id, queue, finished_at) VALUES (X'01a218a0e67b763b91cd4ba5bac987e9', 'steps', '1795709527696');
INSERT INTO tq_schedule (name, job_name, queue, payload, payload_version, priority, job_key, tenant, cron, time_zone, every_ms, catch_up, overlap, defined_by, paused_at, next_fire_at, last_fire_at, last_job_id, skipped, last_skipped_at, revision) VALUES ('daily', 'tick', 'ticks', '"daily"', 1, 0, null, null, '30 2 * * *', 'Europe/Berlin', null, 'latest', 1, 'api', null, '1795743000000', null, null, '0', null, '0');
INSERT INTO tq_schedule (name, job_name, queue, payload, payload_version, priority, job_key, tenant, cron, time_zone, every_ms, catch_up, overlap, defined_by, paused_at, next_fire_at, last_fire_at, last_job_id, skipped, last_skipped_at, revision) VALUES ('hourly', 'tick', 'ticks', '"hourly"', 1, 0, null, null, null, 'UTC', '3600000', 'none', 1, 'api', '1795709527730', null, null, null, '0', null, '1');
INSERT INTO tq_lock (name, holder, lease_until) VALUES ('report', 'worker-1', '1795709527746');
INSERT INTO tq_unique (name, unique_key, job_id, lasts, window_until) VALUES ('once', 'queued', X'01a218a0e69f7766b7f14b5976d2a7c9', 'queued', null);
INSERT INTO tq_unique (name, unique_key, job_id, lasts, window_until) VALUES ('once', 'unfinished', X'01a218a0e697722fa708a2d1ae991598', 'unfinished', null);
INSERT INTO tq_unique (name, unique_key, job_id, lasts, window_until) VALUES ('once', 'window', X'01a218a0e6a6729aac8d6b58791e73b8', 'window', '1795713127720');
INSERT INTO tq_group (id, jobs, on_success, on_failure, on_complete, created_at, failed_at, finished_at) VALUES (X'01a218a0e6827147826d7c1a58c8626b', 2, null, null, X'01a218a0e6827147826d8828a3f2f588', '1795709527683', null, null);
INSERT INTO tq_member (group_id, outcome, job_id) VALUES (X'01a218a0e6827147826d7c1a58c8626b', 'open', X'01a218a0e6827147826d863dd8280080');
INSERT INTO tq_member (group_id, outcome, job_id) VALUES (X'01a218a0e6827147826d7c1a58c8626b', 'succeeded', X'01a218a0e6827147826d83c163d3e567');
INSERT INTO tq_audit (id, done_at, who, action, target, detail, changed, skipped) VALUES (X'01a218a0e6b37791b5d3ae3f3ecf9ed8', '1795709527732', 'mary', 'pause', 'queue paused', null, 1, 0);
INSERT INTO tq_throughput (began_at, queue, succeeded, failed, retried, latency_sum, latency_max, run_sum, run_max) VALUES ('1795709520000', 'steps', 1, 1, 1, '9', '3', '6', '2');
