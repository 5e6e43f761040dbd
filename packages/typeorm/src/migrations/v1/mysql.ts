import { type Fragment, sql } from '../../engine/sql.js';
import type { SchemaNames } from '../schema-version.js';

const NAME = (length: number) => sql`VARCHAR(${sql.integer(length)}) CHARACTER SET ascii COLLATE ascii_bin`;
const TEXT = (length: number) => sql`VARCHAR(${sql.integer(length)}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;
const LONG_TEXT = sql`LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;

/** The statements that create the tables on MySQL and MariaDB. */
export function createOnMysql({ table, index }: SchemaNames): Fragment[] {
  return [
    sql`CREATE TABLE IF NOT EXISTS ${table('job')} (
      \`id\` BINARY(16) NOT NULL,
      \`queue\` ${NAME(64)} NOT NULL,
      \`state\` ENUM('waiting', 'scheduled', 'ready', 'running', 'succeeded', 'failed', 'cancelled', 'expired') NOT NULL,
      \`owner\` INT UNSIGNED NOT NULL DEFAULT 0,
      \`lane\` INT UNSIGNED NOT NULL DEFAULT 0,
      \`position\` BIGINT NOT NULL,
      \`name\` ${NAME(128)} NOT NULL,
      \`job_key\` ${TEXT(191)} NULL,
      \`unique_key\` ${TEXT(191)} NULL,
      \`order_key\` ${TEXT(191)} NULL,
      \`order_blocks\` TINYINT UNSIGNED NULL,
      \`order_head\` TINYINT UNSIGNED NULL,
      \`payload\` ${LONG_TEXT} NULL,
      \`payload_version\` SMALLINT UNSIGNED NOT NULL DEFAULT 1,
      \`priority\` SMALLINT NOT NULL DEFAULT 0,
      \`attempt\` INT UNSIGNED NOT NULL DEFAULT 0,
      \`failures\` INT UNSIGNED NOT NULL DEFAULT 0,
      \`crashes\` INT UNSIGNED NOT NULL DEFAULT 0,
      \`last_error\` ${LONG_TEXT} NULL,
      \`progress\` ${LONG_TEXT} NULL,
      \`result\` ${LONG_TEXT} NULL,
      \`group_id\` BINARY(16) NULL,
      \`tenant\` ${TEXT(191)} NULL,
      \`tenant_lane\` INT UNSIGNED NOT NULL DEFAULT 0,
      \`trace\` ${LONG_TEXT} NULL,
      \`created_at\` BIGINT NOT NULL,
      \`run_at\` BIGINT NOT NULL,
      \`expires_at\` BIGINT NULL,
      \`claimed_at\` BIGINT NOT NULL DEFAULT 0,
      \`finished_at\` BIGINT NOT NULL DEFAULT 0,
      PRIMARY KEY (\`id\`),
      INDEX ${index('job_lane')} (\`queue\`, \`state\`, \`lane\`, \`position\`, \`id\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('error')} (
      \`job_id\` BINARY(16) NOT NULL,
      \`attempt\` INT UNSIGNED NOT NULL,
      \`claimed_at\` BIGINT NOT NULL,
      \`failed_at\` BIGINT NOT NULL,
      \`error\` ${LONG_TEXT} NOT NULL,
      PRIMARY KEY (\`job_id\`, \`attempt\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('key')} (
      \`job_key\` ${TEXT(191)} NOT NULL,
      \`job_id\` BINARY(16) NOT NULL,
      PRIMARY KEY (\`job_key\`, \`job_id\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('worker')} (
      \`id\` INT UNSIGNED NOT NULL,
      \`host\` ${TEXT(255)} NOT NULL,
      \`pid\` INT UNSIGNED NOT NULL,
      \`version\` ${NAME(64)} NOT NULL,
      \`code_version\` ${TEXT(64)} NULL,
      \`queues\` ${LONG_TEXT} NOT NULL,
      \`started_at\` BIGINT NOT NULL,
      \`seen_at\` BIGINT NOT NULL,
      \`lease_until\` BIGINT NOT NULL,
      \`lock_name\` ${NAME(64)} NULL,
      \`lock_server\` BIGINT NULL,
      \`state\` ENUM('working', 'quiet', 'stopping') NOT NULL DEFAULT 'working',
      \`requested\` ENUM('work', 'quiet', 'stop') NOT NULL DEFAULT 'work',
      \`requested_by\` ${TEXT(191)} NULL,
      \`requested_at\` BIGINT NULL,
      \`rss\` BIGINT NOT NULL DEFAULT 0,
      \`heap_used\` BIGINT NOT NULL DEFAULT 0,
      \`delay_p99\` INT UNSIGNED NOT NULL DEFAULT 0,
      \`delay_max\` INT UNSIGNED NOT NULL DEFAULT 0,
      \`blocked_at\` BIGINT NULL,
      \`blocked_for\` INT UNSIGNED NULL,
      PRIMARY KEY (\`id\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('maintenance')} (
      \`task\` ${NAME(64)} NOT NULL,
      \`next_run_at\` BIGINT NOT NULL,
      PRIMARY KEY (\`task\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('queue')} (
      \`queue\` ${NAME(64)} NOT NULL,
      \`paused_at\` BIGINT NULL,
      \`concurrency\` INT UNSIGNED NULL,
      \`tenant_concurrency\` INT UNSIGNED NULL,
      \`rate_jobs\` INT UNSIGNED NULL,
      \`rate_window\` BIGINT NULL,
      \`rate_burst\` INT UNSIGNED NULL,
      \`rate_full_at\` BIGINT NOT NULL DEFAULT 0,
      \`tenant_rate_jobs\` INT UNSIGNED NULL,
      \`tenant_rate_window\` BIGINT NULL,
      \`tenant_rate_burst\` INT UNSIGNED NULL,
      \`max_length\` INT UNSIGNED NULL,
      \`declared_limits\` ${NAME(400)} NULL,
      \`code_only_jobs\` ${LONG_TEXT} NULL,
      PRIMARY KEY (\`queue\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('cancellation')} (
      \`job_id\` BINARY(16) NOT NULL,
      \`requested_at\` BIGINT NOT NULL,
      PRIMARY KEY (\`job_id\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('schedule')} (
      \`name\` ${NAME(128)} NOT NULL,
      \`job_name\` ${NAME(128)} NOT NULL,
      \`queue\` ${NAME(64)} NOT NULL,
      \`payload\` ${LONG_TEXT} NULL,
      \`payload_version\` SMALLINT UNSIGNED NOT NULL DEFAULT 1,
      \`priority\` SMALLINT NOT NULL,
      \`expires_in\` BIGINT NULL,
      \`job_key\` ${TEXT(191)} NULL,
      \`tenant\` ${TEXT(191)} NULL,
      \`cron\` ${NAME(255)} NULL,
      \`time_zone\` ${NAME(64)} NOT NULL,
      \`every_ms\` BIGINT NULL,
      \`catch_up\` ENUM('none', 'latest', 'all') NOT NULL,
      \`overlap\` SMALLINT NOT NULL,
      \`defined_by\` ENUM('code', 'api') NOT NULL,
      \`paused_at\` BIGINT NULL,
      \`next_fire_at\` BIGINT NULL,
      \`last_fire_at\` BIGINT NULL,
      \`last_job_id\` BINARY(16) NULL,
      \`skipped\` BIGINT NOT NULL DEFAULT 0,
      \`last_skipped_at\` BIGINT NULL,
      \`revision\` BIGINT NOT NULL DEFAULT 0,
      PRIMARY KEY (\`name\`),
      INDEX ${index('schedule_due')} (\`next_fire_at\`, \`name\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('lock')} (
      \`name\` ${TEXT(191)} NOT NULL,
      \`holder\` ${NAME(36)} NOT NULL,
      \`lease_until\` BIGINT NOT NULL,
      PRIMARY KEY (\`name\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('unique')} (
      \`name\` ${NAME(128)} NOT NULL,
      \`unique_key\` ${TEXT(191)} NOT NULL,
      \`job_id\` BINARY(16) NOT NULL,
      \`lasts\` ENUM('queued', 'unfinished', 'window') NOT NULL,
      \`window_until\` BIGINT NULL,
      PRIMARY KEY (\`name\`, \`unique_key\`),
      INDEX ${index('unique_window')} (\`lasts\`, \`window_until\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('group')} (
      \`id\` BINARY(16) NOT NULL,
      \`jobs\` INT UNSIGNED NOT NULL,
      \`on_success\` BINARY(16) NULL,
      \`on_failure\` BINARY(16) NULL,
      \`on_complete\` BINARY(16) NULL,
      \`parent\` BINARY(16) NULL,
      \`created_at\` BIGINT NOT NULL,
      \`failed_at\` BIGINT NULL,
      \`finished_at\` BIGINT NULL,
      PRIMARY KEY (\`id\`),
      INDEX ${index('group_finished')} (\`finished_at\`, \`id\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('member')} (
      \`group_id\` BINARY(16) NOT NULL,
      \`outcome\` ${NAME(16)} NOT NULL,
      \`job_id\` BINARY(16) NOT NULL,
      PRIMARY KEY (\`group_id\`, \`outcome\`, \`job_id\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('audit')} (
      \`id\` BINARY(16) NOT NULL,
      \`done_at\` BIGINT NOT NULL,
      \`who\` ${TEXT(191)} NULL,
      \`action\` ${NAME(32)} NOT NULL,
      \`target\` ${TEXT(191)} NOT NULL,
      \`detail\` ${LONG_TEXT} NULL,
      \`changed\` INT UNSIGNED NOT NULL,
      \`skipped\` INT UNSIGNED NOT NULL,
      PRIMARY KEY (\`id\`),
      INDEX ${index('audit_time')} (\`done_at\`, \`id\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('throughput')} (
      \`began_at\` BIGINT NOT NULL,
      \`queue\` ${NAME(64)} NOT NULL,
      \`succeeded\` INT UNSIGNED NOT NULL,
      \`failed\` INT UNSIGNED NOT NULL,
      \`retried\` INT UNSIGNED NOT NULL,
      \`expired\` INT UNSIGNED NOT NULL,
      \`latency_sum\` BIGINT NOT NULL,
      \`latency_max\` BIGINT NOT NULL,
      \`run_sum\` BIGINT NOT NULL,
      \`run_max\` BIGINT NOT NULL,
      PRIMARY KEY (\`began_at\`, \`queue\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('step')} (
      \`job_id\` BINARY(16) NOT NULL,
      \`kind\` ${NAME(8)} NOT NULL,
      \`name\` ${TEXT(191)} NOT NULL,
      \`state\` ${NAME(8)} NOT NULL,
      \`seq\` INT UNSIGNED NOT NULL,
      \`attempt\` INT UNSIGNED NOT NULL,
      \`failures\` SMALLINT UNSIGNED NOT NULL DEFAULT 0,
      \`due_at\` BIGINT NULL,
      \`value\` ${LONG_TEXT} NULL,
      \`error\` ${LONG_TEXT} NULL,
      \`undoes\` TINYINT UNSIGNED NOT NULL DEFAULT 0,
      \`awaits\` ${TEXT(191)} NULL,
      \`needs\` INT UNSIGNED NOT NULL DEFAULT 1,
      \`took\` INT UNSIGNED NULL,
      \`recorded_at\` BIGINT NOT NULL,
      PRIMARY KEY (\`job_id\`, \`kind\`, \`name\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('signal')} (
      \`job_id\` BINARY(16) NOT NULL,
      \`name\` ${TEXT(191)} NOT NULL,
      \`sent_at\` BIGINT NOT NULL,
      \`id\` BINARY(16) NOT NULL,
      \`data\` ${LONG_TEXT} NULL,
      \`once\` ${TEXT(191)} NULL,
      \`stage\` TINYINT UNSIGNED NOT NULL DEFAULT 0,
      PRIMARY KEY (\`job_id\`, \`name\`, \`sent_at\`, \`id\`),
      INDEX ${index('signal_stage')} (\`stage\`, \`sent_at\`),
      UNIQUE INDEX ${index('signal_once')} (\`job_id\`, \`name\`, \`once\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('ordered')} (
      \`place\` BIGINT NOT NULL AUTO_INCREMENT,
      \`job_id\` BINARY(16) NOT NULL,
      \`name\` ${NAME(128)} NOT NULL,
      \`order_key\` ${TEXT(191)} NOT NULL,
      PRIMARY KEY (\`place\`),
      INDEX ${index('ordered_key')} (\`name\`, \`order_key\`, \`place\`),
      INDEX ${index('ordered_job')} (\`job_id\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('order_key')} (
      \`name\` ${NAME(128)} NOT NULL,
      \`order_key\` ${TEXT(191)} NOT NULL,
      \`job_id\` BINARY(16) NOT NULL,
      \`blocked_at\` BIGINT NULL,
      PRIMARY KEY (\`name\`, \`order_key\`),
      INDEX ${index('order_key_blocked')} (\`blocked_at\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('event')} (
      \`name\` ${NAME(64)} NOT NULL,
      \`last_number\` BIGINT NOT NULL,
      PRIMARY KEY (\`name\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('subscription')} (
      \`event\` ${NAME(64)} NOT NULL,
      \`number\` BIGINT NOT NULL,
      \`name\` ${NAME(63)} NOT NULL,
      \`queue\` ${NAME(64)} NOT NULL,
      \`priority\` SMALLINT NOT NULL,
      \`registered_at\` BIGINT NOT NULL,
      \`handled_at\` BIGINT NOT NULL,
      PRIMARY KEY (\`event\`, \`number\`),
      INDEX ${index('subscription_handled')} (\`handled_at\`),
      UNIQUE INDEX ${index('subscription_name')} (\`event\`, \`name\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('expiry')} (
      \`job_id\` BINARY(16) NOT NULL,
      \`check_at\` BIGINT NOT NULL,
      PRIMARY KEY (\`job_id\`),
      INDEX ${index('expiry_due')} (\`check_at\`, \`job_id\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('tenant_rate')} (
      \`queue\` ${NAME(64)} NOT NULL,
      \`lane\` INT UNSIGNED NOT NULL,
      \`tenant\` ${TEXT(191)} NOT NULL,
      \`full_at\` BIGINT NOT NULL,
      PRIMARY KEY (\`queue\`, \`lane\`, \`tenant\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('bulk_operation')} (
      \`id\` BINARY(16) NOT NULL,
      \`action\` ${NAME(32)} NOT NULL,
      \`filter\` ${LONG_TEXT} NOT NULL,
      \`priority\` SMALLINT NULL,
      \`target_queue\` ${NAME(64)} NULL,
      \`who\` ${TEXT(191)} NULL,
      \`state\` ENUM('running', 'done', 'stopped') NOT NULL,
      \`total\` INT UNSIGNED NULL,
      \`is_capped\` TINYINT UNSIGNED NOT NULL DEFAULT 0,
      \`changed\` INT UNSIGNED NOT NULL DEFAULT 0,
      \`skipped\` INT UNSIGNED NOT NULL DEFAULT 0,
      \`cursor_at\` BIGINT NOT NULL,
      \`cursor_id\` BINARY(16) NOT NULL,
      \`started_at\` BIGINT NOT NULL,
      \`advanced_at\` BIGINT NOT NULL DEFAULT 0,
      \`finished_at\` BIGINT NULL,
      PRIMARY KEY (\`id\`),
      INDEX ${index('bulk_operation_state')} (\`state\`, \`id\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('log')} (
      \`job_id\` BINARY(16) NOT NULL,
      \`attempt\` INT UNSIGNED NOT NULL,
      \`seq\` INT UNSIGNED NOT NULL,
      \`logged_at\` BIGINT NOT NULL,
      \`level\` ENUM('debug', 'info', 'warn', 'error') NOT NULL,
      \`message\` ${LONG_TEXT} NOT NULL,
      \`fields\` ${LONG_TEXT} NULL,
      \`dropped\` INT UNSIGNED NOT NULL DEFAULT 0,
      PRIMARY KEY (\`job_id\`, \`attempt\`, \`seq\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('muted_error')} (
      \`fingerprint\` ${NAME(16)} NOT NULL,
      \`muted_until\` BIGINT NOT NULL,
      PRIMARY KEY (\`fingerprint\`)
    ) ENGINE=InnoDB`,
    sql`CREATE TABLE IF NOT EXISTS ${table('alert')} (
      \`rule\` ${NAME(64)} NOT NULL,
      \`kind\` ${NAME(32)} NOT NULL,
      \`found_at\` BIGINT NOT NULL,
      \`opened_at\` BIGINT NULL,
      \`is_held\` TINYINT UNSIGNED NOT NULL DEFAULT 0,
      \`checked_at\` BIGINT NOT NULL DEFAULT 0,
      \`messages\` INT UNSIGNED NOT NULL DEFAULT 0,
      \`left_out\` INT UNSIGNED NOT NULL DEFAULT 0,
      PRIMARY KEY (\`rule\`, \`kind\`)
    ) ENGINE=InnoDB`,
  ];
}
