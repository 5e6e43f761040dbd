import { type Fragment, sql } from '../../engine/sql.js';
import { readyPosition } from '../../store/base/order/sort-key.js';
import type { SchemaNames } from '../schema-version.js';
import { checkArguments } from './check-arguments.js';

const TEXT = sql`LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;

/**
 * The variables of the procedure. Their names differ from all columns, which they would hide. Queue and name have the
 * character set of the columns: in a comparison with another one, the column is converted and its index not used.
 */
const VARIABLES = sql`
  DECLARE v_problem, v_option, v_value, v_text, v_key, v_tenant, v_unique_key, v_while, v_on_conflict ${TEXT};
  DECLARE v_number, v_least, v_most, v_delay, v_run_at, v_expires_in, v_priority, v_period, v_now, v_position BIGINT;
  DECLARE v_version, v_pass, v_max, v_count INT;
  DECLARE v_is_unique, v_has_taken TINYINT DEFAULT 0;
  DECLARE v_lane INT UNSIGNED DEFAULT 0;
  DECLARE v_id, v_holder BINARY(16);
  DECLARE v_queue VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin;
  DECLARE v_name VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin;
  DECLARE v_state VARCHAR(9) CHARACTER SET ascii DEFAULT 'ready';
  DECLARE v_uuid, v_ticks, v_random, v_hex VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin;`;

/** Ends the call with the problem that was found, if any. */
const RAISE = sql`
  IF v_problem IS NOT NULL THEN
    SET v_problem = LEFT(CONCAT('Tablequeue: ', v_problem), 128);
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = v_problem;
  END IF;`;

/**
 * A UUIDv7: 48 bits of milliseconds, then the lowest 40 bits of the time of a UUIDv1, and 32 random bits. The server
 * gives out each UUIDv1 time once and in order. So its ids differ, and are in the order of the calls even within one
 * statement, during which the milliseconds do not change. RANDOM_BYTES is missing before MariaDB 10.10.
 *
 * Each text is in a variable: results of functions have another collation, that of the session.
 */
const MAKE_ID = sql`
  SET v_uuid = UUID();
  SET v_ticks = CONCAT(SUBSTRING(v_uuid, 12, 2), LEFT(v_uuid, 8));
  SET v_random = SHA2(CONCAT(v_uuid, CONNECTION_ID(), RAND()), 256);
  SET v_hex = LOWER(HEX(v_now));
  SET v_hex = CONCAT(LPAD(v_hex, 12, '0'), '7', LEFT(v_ticks, 3), '8', RIGHT(v_ticks, 7), LEFT(v_random, 8));
  SET v_id = UNHEX(v_hex);`;

const PLACE_JOB = sql`
  IF v_tenant IS NOT NULL THEN
    SET v_lane = IF(CRC32(v_tenant) = 0, 1, CRC32(v_tenant));
  END IF;
  SET v_run_at = COALESCE(v_run_at, v_now + COALESCE(v_delay, 0));
  SET v_position = ${readyPosition(sql`v_priority`, sql`v_run_at`)};
  IF v_run_at > v_now THEN
    SET v_state = 'scheduled', v_position = v_run_at;
  END IF;`;

/**
 * Takes the unique key of the job, as `takeKeys` does. A key whose window is over is free. Without a
 * transaction, a key that is held can be freed between two statements.
 */
function takeUniqueKey({ table }: SchemaNames): Fragment {
  const lasts = sql`COALESCE(v_while, IF(v_period IS NULL, 'unfinished', 'window'))`;
  return sql`
  IF v_is_unique THEN
    REPEAT
    INSERT INTO ${table('unique')} (name, unique_key, job_id, lasts, window_until)
    VALUES (v_name, v_unique_key, v_id, ${lasts}, v_now + v_period)
    ON DUPLICATE KEY UPDATE job_id = job_id;
    UPDATE ${table('unique')} FORCE INDEX (PRIMARY)
    SET job_id = v_id, lasts = ${lasts}, window_until = v_now + v_period
    WHERE name = v_name AND unique_key = v_unique_key AND lasts = 'window' AND window_until <= v_now;
    SELECT job_id INTO v_holder FROM ${table('unique')} FORCE INDEX (PRIMARY)
    WHERE name = v_name AND unique_key = v_unique_key FOR UPDATE;
    UNTIL v_holder IS NOT NULL END REPEAT;
    SET v_has_taken = v_holder = v_id;
    IF NOT v_has_taken THEN
      SET v_hex = LOWER(HEX(v_holder));
    END IF;
  END IF;`;
}

/** The job is last: without a transaction, a crash before it leaves only rows that the maintenance deletes. */
function storeJob({ table }: SchemaNames): Fragment {
  return sql`
  IF v_has_taken OR NOT v_is_unique THEN
    IF v_key IS NOT NULL THEN
      INSERT INTO ${table('key')} (job_key, job_id) VALUES (v_key, v_id);
    END IF;
    IF v_expires_in IS NOT NULL THEN
      INSERT INTO ${table('expiry')} (job_id, check_at) VALUES (v_id, GREATEST(v_run_at, v_now) + v_expires_in);
    END IF;
    INSERT INTO ${table('job')} (id, queue, state, lane, position, name, job_key, unique_key, payload, payload_version,
      priority, tenant, tenant_lane, created_at, run_at, expires_at)
    VALUES (v_id, v_queue, v_state, IF(v_state = 'ready', v_lane, 0), v_position, v_name, v_key,
      IF(v_period IS NOT NULL AND v_while IS NULL, NULL, v_unique_key), in_payload, v_version,
      v_priority, v_tenant, v_lane, v_now, v_run_at, GREATEST(v_run_at, v_now) + v_expires_in);
  END IF;`;
}

/** Refuses jobs with rules in code, and full queues. Plain reads, which lock nothing. */
function checkQueue({ table, index }: SchemaNames): Fragment {
  return sql`
  SELECT SUM(FIND_IN_SET(v_name, code_only_jobs) > 0), MAX(IF(queue = v_queue, max_length, NULL)) INTO v_count, v_max
  FROM ${table('queue')};
  IF v_count > 0 THEN
    SET v_problem = CONCAT('job ', LEFT(v_name, 40), ' has a codec, order, or a unique or tenant rule: use queue.enqueue()');
  ELSEIF v_max IS NOT NULL THEN
    SELECT COUNT(*) INTO v_count FROM (
      SELECT 1 FROM ${table('job')} FORCE INDEX (${index('job_lane')})
      WHERE queue = v_queue AND state IN ('waiting', 'scheduled', 'ready') LIMIT v_max
    ) waiting_jobs;
    IF v_count >= v_max THEN
      SET v_problem = CONCAT('queue ', v_queue, ' is full: ', v_max, ' jobs wait. Try again later');
    END IF;
  END IF;`;
}

/**
 * The statement that creates the procedure.
 *
 * Each statement uses a primary key, except the count of a queue with a maximum, and locks rows that only this job has:
 * see docs/decisions/0135. It starts no transaction and ends none, so a trigger may call it.
 *
 * @param name the name of the procedure.
 * @param comment its version.
 * @param create `CREATE`, or `CREATE OR REPLACE` where the server knows it.
 */
export function procedureStatement(
  names: SchemaNames,
  name: Fragment,
  comment: Fragment,
  create: Fragment,
  maxPayloadBytes: number,
): Fragment {
  return sql`${create} PROCEDURE ${name}(
  IN in_queue ${TEXT}, IN in_name ${TEXT}, IN in_payload ${TEXT}, IN in_options ${TEXT},
  OUT out_job_id CHAR(36) CHARACTER SET ascii
)
MODIFIES SQL DATA SQL SECURITY DEFINER COMMENT ${comment}
BEGIN${VARIABLES}
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    IF v_has_taken THEN
      BEGIN
        DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END;
        DELETE FROM ${names.table('unique')} WHERE name = v_name AND unique_key = v_unique_key AND job_id = v_id;
      END;
    END IF;
    RESIGNAL;
  END;
  SET out_job_id = NULL;${checkArguments(maxPayloadBytes)}${RAISE}
  SET v_queue = in_queue, v_name = in_name;${checkQueue(names)}${RAISE}
  SET v_now = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000;${MAKE_ID}${PLACE_JOB}${takeUniqueKey(names)}${storeJob(names)}
  SET out_job_id = CONCAT_WS('-', LEFT(v_hex, 8), SUBSTRING(v_hex, 9, 4), SUBSTRING(v_hex, 13, 4),
    SUBSTRING(v_hex, 17, 4), SUBSTRING(v_hex, 21));
  IF v_is_unique AND NOT v_has_taken AND v_on_conflict = 'throw' THEN
    SET v_problem = CONCAT('unique key ', QUOTE(LEFT(v_unique_key, 40)), ' of ', LEFT(v_name, 20), ' is held by job ', out_job_id);
  END IF;${RAISE}
END`;
}
