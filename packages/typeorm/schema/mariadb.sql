CREATE TABLE `tq_job` (
  `id` binary(16) NOT NULL,
  `queue` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `state` enum('waiting','scheduled','ready','running','succeeded','failed','cancelled','expired') NOT NULL,
  `owner` int(10) unsigned NOT NULL DEFAULT 0,
  `lane` int(10) unsigned NOT NULL DEFAULT 0,
  `position` bigint(20) NOT NULL,
  `name` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `job_key` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `unique_key` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `order_key` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `order_blocks` tinyint(3) unsigned DEFAULT NULL,
  `order_head` tinyint(3) unsigned DEFAULT NULL,
  `payload` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `payload_version` smallint(5) unsigned NOT NULL DEFAULT 1,
  `priority` smallint(6) NOT NULL DEFAULT 0,
  `attempt` int(10) unsigned NOT NULL DEFAULT 0,
  `failures` int(10) unsigned NOT NULL DEFAULT 0,
  `crashes` int(10) unsigned NOT NULL DEFAULT 0,
  `last_error` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `progress` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `result` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `group_id` binary(16) DEFAULT NULL,
  `tenant` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `tenant_lane` int(10) unsigned NOT NULL DEFAULT 0,
  `trace` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  `run_at` bigint(20) NOT NULL,
  `expires_at` bigint(20) DEFAULT NULL,
  `claimed_at` bigint(20) NOT NULL DEFAULT 0,
  `finished_at` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  KEY `tq_job_lane` (`queue`,`state`,`lane`,`position`,`id`)
) ENGINE=InnoDB;

CREATE TABLE `tq_error` (
  `job_id` binary(16) NOT NULL,
  `attempt` int(10) unsigned NOT NULL,
  `claimed_at` bigint(20) NOT NULL,
  `failed_at` bigint(20) NOT NULL,
  `error` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`job_id`,`attempt`)
) ENGINE=InnoDB;

CREATE TABLE `tq_key` (
  `job_key` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `job_id` binary(16) NOT NULL,
  PRIMARY KEY (`job_key`,`job_id`)
) ENGINE=InnoDB;

CREATE TABLE `tq_worker` (
  `id` int(10) unsigned NOT NULL,
  `host` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `pid` int(10) unsigned NOT NULL,
  `version` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `code_version` varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `queues` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `started_at` bigint(20) NOT NULL,
  `seen_at` bigint(20) NOT NULL,
  `lease_until` bigint(20) NOT NULL,
  `lock_name` varchar(64) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `lock_server` bigint(20) DEFAULT NULL,
  `state` enum('working','quiet','stopping') NOT NULL DEFAULT 'working',
  `requested` enum('work','quiet','stop') NOT NULL DEFAULT 'work',
  `requested_by` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `requested_at` bigint(20) DEFAULT NULL,
  `rss` bigint(20) NOT NULL DEFAULT 0,
  `heap_used` bigint(20) NOT NULL DEFAULT 0,
  `delay_p99` int(10) unsigned NOT NULL DEFAULT 0,
  `delay_max` int(10) unsigned NOT NULL DEFAULT 0,
  `blocked_at` bigint(20) DEFAULT NULL,
  `blocked_for` int(10) unsigned DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;

CREATE TABLE `tq_maintenance` (
  `task` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `next_run_at` bigint(20) NOT NULL,
  PRIMARY KEY (`task`)
) ENGINE=InnoDB;

CREATE TABLE `tq_queue` (
  `queue` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `paused_at` bigint(20) DEFAULT NULL,
  `concurrency` int(10) unsigned DEFAULT NULL,
  `tenant_concurrency` int(10) unsigned DEFAULT NULL,
  `rate_jobs` int(10) unsigned DEFAULT NULL,
  `rate_window` bigint(20) DEFAULT NULL,
  `rate_burst` int(10) unsigned DEFAULT NULL,
  `rate_full_at` bigint(20) NOT NULL DEFAULT 0,
  `tenant_rate_jobs` int(10) unsigned DEFAULT NULL,
  `tenant_rate_window` bigint(20) DEFAULT NULL,
  `tenant_rate_burst` int(10) unsigned DEFAULT NULL,
  `max_length` int(10) unsigned DEFAULT NULL,
  `declared_limits` varchar(400) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `code_only_jobs` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`queue`)
) ENGINE=InnoDB;

CREATE TABLE `tq_cancellation` (
  `job_id` binary(16) NOT NULL,
  `requested_at` bigint(20) NOT NULL,
  PRIMARY KEY (`job_id`)
) ENGINE=InnoDB;

CREATE TABLE `tq_schedule` (
  `name` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `job_name` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `queue` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `payload` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `payload_version` smallint(5) unsigned NOT NULL DEFAULT 1,
  `priority` smallint(6) NOT NULL,
  `expires_in` bigint(20) DEFAULT NULL,
  `job_key` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `tenant` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `cron` varchar(255) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `time_zone` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `every_ms` bigint(20) DEFAULT NULL,
  `catch_up` enum('none','latest','all') NOT NULL,
  `overlap` smallint(6) NOT NULL,
  `defined_by` enum('code','api') NOT NULL,
  `paused_at` bigint(20) DEFAULT NULL,
  `next_fire_at` bigint(20) DEFAULT NULL,
  `last_fire_at` bigint(20) DEFAULT NULL,
  `last_job_id` binary(16) DEFAULT NULL,
  `skipped` bigint(20) NOT NULL DEFAULT 0,
  `last_skipped_at` bigint(20) DEFAULT NULL,
  `revision` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`name`),
  KEY `tq_schedule_due` (`next_fire_at`,`name`)
) ENGINE=InnoDB;

CREATE TABLE `tq_lock` (
  `name` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `holder` varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `lease_until` bigint(20) NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB;

CREATE TABLE `tq_unique` (
  `name` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `unique_key` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `job_id` binary(16) NOT NULL,
  `lasts` enum('queued','unfinished','window') NOT NULL,
  `window_until` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`name`,`unique_key`),
  KEY `tq_unique_window` (`lasts`,`window_until`)
) ENGINE=InnoDB;

CREATE TABLE `tq_group` (
  `id` binary(16) NOT NULL,
  `jobs` int(10) unsigned NOT NULL,
  `on_success` binary(16) DEFAULT NULL,
  `on_failure` binary(16) DEFAULT NULL,
  `on_complete` binary(16) DEFAULT NULL,
  `parent` binary(16) DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  `failed_at` bigint(20) DEFAULT NULL,
  `finished_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `tq_group_finished` (`finished_at`,`id`)
) ENGINE=InnoDB;

CREATE TABLE `tq_member` (
  `group_id` binary(16) NOT NULL,
  `outcome` varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `job_id` binary(16) NOT NULL,
  PRIMARY KEY (`group_id`,`outcome`,`job_id`)
) ENGINE=InnoDB;

CREATE TABLE `tq_audit` (
  `id` binary(16) NOT NULL,
  `done_at` bigint(20) NOT NULL,
  `who` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `action` varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `target` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `detail` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `changed` int(10) unsigned NOT NULL,
  `skipped` int(10) unsigned NOT NULL,
  PRIMARY KEY (`id`),
  KEY `tq_audit_time` (`done_at`,`id`)
) ENGINE=InnoDB;

CREATE TABLE `tq_throughput` (
  `began_at` bigint(20) NOT NULL,
  `queue` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `succeeded` int(10) unsigned NOT NULL,
  `failed` int(10) unsigned NOT NULL,
  `retried` int(10) unsigned NOT NULL,
  `expired` int(10) unsigned NOT NULL,
  `latency_sum` bigint(20) NOT NULL,
  `latency_max` bigint(20) NOT NULL,
  `run_sum` bigint(20) NOT NULL,
  `run_max` bigint(20) NOT NULL,
  PRIMARY KEY (`began_at`,`queue`)
) ENGINE=InnoDB;

CREATE TABLE `tq_step` (
  `job_id` binary(16) NOT NULL,
  `kind` varchar(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `name` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `state` varchar(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `seq` int(10) unsigned NOT NULL,
  `attempt` int(10) unsigned NOT NULL,
  `failures` smallint(5) unsigned NOT NULL DEFAULT 0,
  `due_at` bigint(20) DEFAULT NULL,
  `value` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `error` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `undoes` tinyint(3) unsigned NOT NULL DEFAULT 0,
  `awaits` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `needs` int(10) unsigned NOT NULL DEFAULT 1,
  `took` int(10) unsigned DEFAULT NULL,
  `recorded_at` bigint(20) NOT NULL,
  PRIMARY KEY (`job_id`,`kind`,`name`)
) ENGINE=InnoDB;

CREATE TABLE `tq_signal` (
  `job_id` binary(16) NOT NULL,
  `name` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `sent_at` bigint(20) NOT NULL,
  `id` binary(16) NOT NULL,
  `data` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `once` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `stage` tinyint(3) unsigned NOT NULL DEFAULT 0,
  PRIMARY KEY (`job_id`,`name`,`sent_at`,`id`),
  UNIQUE KEY `tq_signal_once` (`job_id`,`name`,`once`),
  KEY `tq_signal_stage` (`stage`,`sent_at`)
) ENGINE=InnoDB;

CREATE TABLE `tq_ordered` (
  `place` bigint(20) NOT NULL AUTO_INCREMENT,
  `job_id` binary(16) NOT NULL,
  `name` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `order_key` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`place`),
  KEY `tq_ordered_key` (`name`,`order_key`,`place`),
  KEY `tq_ordered_job` (`job_id`)
) ENGINE=InnoDB;

CREATE TABLE `tq_order_key` (
  `name` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `order_key` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `job_id` binary(16) NOT NULL,
  `blocked_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`name`,`order_key`),
  KEY `tq_order_key_blocked` (`blocked_at`)
) ENGINE=InnoDB;

CREATE TABLE `tq_event` (
  `name` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `last_number` bigint(20) NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB;

CREATE TABLE `tq_subscription` (
  `event` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `number` bigint(20) NOT NULL,
  `name` varchar(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `queue` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `priority` smallint(6) NOT NULL,
  `registered_at` bigint(20) NOT NULL,
  `handled_at` bigint(20) NOT NULL,
  PRIMARY KEY (`event`,`number`),
  UNIQUE KEY `tq_subscription_name` (`event`,`name`),
  KEY `tq_subscription_handled` (`handled_at`)
) ENGINE=InnoDB;

CREATE TABLE `tq_expiry` (
  `job_id` binary(16) NOT NULL,
  `check_at` bigint(20) NOT NULL,
  PRIMARY KEY (`job_id`),
  KEY `tq_expiry_due` (`check_at`,`job_id`)
) ENGINE=InnoDB;

CREATE TABLE `tq_tenant_rate` (
  `queue` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `lane` int(10) unsigned NOT NULL,
  `tenant` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `full_at` bigint(20) NOT NULL,
  PRIMARY KEY (`queue`,`lane`,`tenant`)
) ENGINE=InnoDB;

CREATE TABLE `tq_bulk_operation` (
  `id` binary(16) NOT NULL,
  `action` varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `filter` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `priority` smallint(6) DEFAULT NULL,
  `target_queue` varchar(64) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `who` varchar(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `state` enum('running','done','stopped') NOT NULL,
  `total` int(10) unsigned DEFAULT NULL,
  `is_capped` tinyint(3) unsigned NOT NULL DEFAULT 0,
  `changed` int(10) unsigned NOT NULL DEFAULT 0,
  `skipped` int(10) unsigned NOT NULL DEFAULT 0,
  `cursor_at` bigint(20) NOT NULL,
  `cursor_id` binary(16) NOT NULL,
  `started_at` bigint(20) NOT NULL,
  `advanced_at` bigint(20) NOT NULL DEFAULT 0,
  `finished_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `tq_bulk_operation_state` (`state`,`id`)
) ENGINE=InnoDB;

CREATE TABLE `tq_log` (
  `job_id` binary(16) NOT NULL,
  `attempt` int(10) unsigned NOT NULL,
  `seq` int(10) unsigned NOT NULL,
  `logged_at` bigint(20) NOT NULL,
  `level` enum('debug','info','warn','error') NOT NULL,
  `message` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `fields` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `dropped` int(10) unsigned NOT NULL DEFAULT 0,
  PRIMARY KEY (`job_id`,`attempt`,`seq`)
) ENGINE=InnoDB;

CREATE TABLE `tq_muted_error` (
  `fingerprint` varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `muted_until` bigint(20) NOT NULL,
  PRIMARY KEY (`fingerprint`)
) ENGINE=InnoDB;

CREATE TABLE `tq_alert` (
  `rule` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `kind` varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `found_at` bigint(20) NOT NULL,
  `opened_at` bigint(20) DEFAULT NULL,
  `is_held` tinyint(3) unsigned NOT NULL DEFAULT 0,
  `checked_at` bigint(20) NOT NULL DEFAULT 0,
  `messages` int(10) unsigned NOT NULL DEFAULT 0,
  `left_out` int(10) unsigned NOT NULL DEFAULT 0,
  PRIMARY KEY (`rule`,`kind`)
) ENGINE=InnoDB;
