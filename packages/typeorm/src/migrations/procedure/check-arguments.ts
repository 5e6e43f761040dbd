import { NAME_LENGTH } from '../../definition/names.js';
import { HIGHEST_VERSION } from '../../definition/payload-version.js';
import { PRIORITY_RANGE } from '../../definition/priority-range.js';
import { LONGEST } from '../../duration.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { LATEST_TIME } from '../../store/base/order/sort-key.js';

/*
 * The checks of the procedure `tq_enqueue`, with the rules of `enqueue`. The first problem is kept in `v_problem`.
 *
 * - Arguments are LONGTEXT: with a VARCHAR the server would refuse a long name with an error of its own.
 * - `_bin` collations ignore spaces at the end, so `x = ''` is true for a text of spaces.
 * - `$` in a pattern also matches before a line break at the end, so names are searched for other characters.
 * - A message has 128 characters at most, or MySQL replaces it with another error.
 */

/** How many characters of a value a message shows. */
const SHOWN = sql.integer(40);

/** Reads options that are whole numbers. Each pass checks one and keeps it in its variable. */
const NUMBERS = sql`
  SET v_pass = 1;
  WHILE v_pass <= 6 AND v_problem IS NULL DO
    SET v_option = ELT(v_pass, 'delay', 'runAt', 'expiresIn', 'priority', 'version', 'unique.period');
    SET v_least = ELT(v_pass, 0, ${sql.integer(1 - LATEST_TIME)}, 1, ${sql.integer(PRIORITY_RANGE.first)}, 1, 1);
    SET v_most = ELT(v_pass, ${sql.integer(LONGEST)}, ${sql.integer(LATEST_TIME - 1)}, ${sql.integer(LONGEST)},
      ${sql.integer(PRIORITY_RANGE.last)}, ${sql.integer(HIGHEST_VERSION)}, ${sql.integer(LONGEST)});
    SET v_value = JSON_EXTRACT(in_options, CONCAT('$.', v_option));
    SET v_number = NULL;
    IF v_value IS NOT NULL AND v_value <> 'null' THEN
      IF v_value REGEXP '^-?[0-9]{1,16}([.]0+)?$' THEN
        SET v_number = CAST(SUBSTRING_INDEX(v_value, '.', 1) AS SIGNED);
      END IF;
      IF v_number IS NULL OR v_number < v_least OR v_number > v_most THEN
        SET v_problem = CONCAT(v_option, ' ', LEFT(v_value, ${SHOWN}), ': use a whole number from ', v_least, ' to ', v_most);
      END IF;
    END IF;
    CASE v_pass
      WHEN 1 THEN SET v_delay = v_number;
      WHEN 2 THEN SET v_run_at = v_number;
      WHEN 3 THEN SET v_expires_in = v_number;
      WHEN 4 THEN SET v_priority = COALESCE(v_number, 0);
      WHEN 5 THEN SET v_version = COALESCE(v_number, 1);
      ELSE SET v_period = v_number;
    END CASE;
    SET v_pass = v_pass + 1;
  END WHILE;`;

/** The same for texts. Lengths are in UTF-16 units, as in JavaScript. */
const TEXTS = sql`
  SET v_pass = 1;
  WHILE v_pass <= 5 AND v_problem IS NULL DO
    SET v_option = ELT(v_pass, 'key', 'tenant', 'unique.key', 'unique.while', 'unique.onConflict');
    SET v_value = JSON_EXTRACT(in_options, CONCAT('$.', v_option));
    SET v_text = NULL;
    IF v_value IS NOT NULL AND v_value <> 'null' THEN
      IF JSON_TYPE(JSON_EXTRACT(in_options, CONCAT('$.', v_option))) = 'STRING' THEN
        SET v_text = JSON_UNQUOTE(v_value);
      END IF;
      IF v_text IS NULL OR CHAR_LENGTH(v_text) = 0 OR RIGHT(v_text, 1) = ' ' OR INSTR(v_text, CHAR(0 USING utf8mb4)) > 0
        OR LENGTH(CONVERT(v_text USING utf16)) > ${sql.integer(NAME_LENGTH.key * 2)} THEN
        SET v_problem = CONCAT(v_option, ' ', LEFT(v_value, ${SHOWN}), ': use 1 to ${sql.integer(NAME_LENGTH.key)} characters, without NUL or a space at the end');
      END IF;
    END IF;
    CASE v_pass
      WHEN 1 THEN SET v_key = v_text;
      WHEN 2 THEN SET v_tenant = v_text;
      WHEN 3 THEN SET v_unique_key = v_text;
      WHEN 4 THEN SET v_while = v_text;
      ELSE SET v_on_conflict = COALESCE(v_text, 'return');
    END CASE;
    SET v_pass = v_pass + 1;
  END WHILE;`;

/** @param maxPayloadBytes the largest payload, in bytes. */
export function checkArguments(maxPayloadBytes: number): Fragment {
  return sql`
  IF in_queue IS NULL OR in_queue REGEXP '[^A-Za-z0-9._:/-]' OR NOT in_queue REGEXP '^[A-Za-z0-9]'
    OR LENGTH(in_queue) > ${sql.integer(NAME_LENGTH.queue)} THEN
    SET v_problem = CONCAT('queue ', COALESCE(QUOTE(LEFT(in_queue, ${SHOWN})), 'NULL'), ': use 1 to ${sql.integer(NAME_LENGTH.queue)} of A-Z a-z 0-9 . _ : / -, first a letter or digit');
  ELSEIF in_queue IN ('tablequeue.events', 'tablequeue.alerts') THEN
    SET v_problem = CONCAT('queue ', QUOTE(in_queue), ' is reserved: use another queue');
  ELSEIF in_name IS NULL OR in_name REGEXP '[^A-Za-z0-9._:/-]' OR NOT in_name REGEXP '^[A-Za-z0-9]'
    OR LENGTH(in_name) > ${sql.integer(NAME_LENGTH.job)} THEN
    SET v_problem = CONCAT('name ', COALESCE(QUOTE(LEFT(in_name, ${SHOWN})), 'NULL'), ': use 1 to ${sql.integer(NAME_LENGTH.job)} of A-Z a-z 0-9 . _ : / -, first a letter or digit');
  ELSEIF LENGTH(in_payload) > ${sql.integer(maxPayloadBytes)} THEN
    SET v_problem = CONCAT('payload of ', LENGTH(in_payload), ' bytes: at most ${sql.integer(maxPayloadBytes)}. Store large data elsewhere, and pass its key');
  ELSEIF in_payload IS NOT NULL AND NOT JSON_VALID(in_payload) THEN
    SET v_problem = CONCAT('payload ', QUOTE(LEFT(in_payload, ${SHOWN})), ' is not JSON: use JSON_OBJECT() or JSON_QUOTE()');
  ELSEIF in_options IS NOT NULL AND NOT JSON_VALID(in_options) THEN
    SET v_problem = CONCAT('options ', QUOTE(LEFT(in_options, ${SHOWN})), ' are not JSON: use JSON_OBJECT() or NULL');
  ELSEIF in_options IS NOT NULL AND JSON_TYPE(in_options) NOT IN ('OBJECT', 'NULL') THEN
    SET v_problem = CONCAT('options ', LEFT(in_options, ${SHOWN}), ': use a JSON object or NULL');
  END IF;
  IF v_problem IS NULL AND in_options IS NOT NULL THEN
    SET v_value = JSON_REMOVE(in_options, '$.delay', '$.runAt', '$.expiresIn', '$.priority', '$.key', '$.tenant', '$.version', '$.unique');
    SET v_text = JSON_EXTRACT(in_options, '$.unique');
    IF JSON_LENGTH(v_value) > 0 THEN
      SET v_problem = CONCAT('unknown option ', LEFT(JSON_EXTRACT(JSON_KEYS(v_value), '$[0]'), ${SHOWN}), ': leave it out, or use queue.enqueue()');
    ELSEIF v_text IS NOT NULL AND JSON_TYPE(v_text) NOT IN ('OBJECT', 'NULL') THEN
      SET v_problem = CONCAT('unique ', LEFT(v_text, ${SHOWN}), ': use a JSON object with a key');
    ELSEIF JSON_TYPE(v_text) = 'OBJECT' THEN
      SET v_is_unique = 1;
      SET v_value = JSON_REMOVE(v_text, '$.key', '$.while', '$.period', '$.onConflict');
      IF JSON_LENGTH(v_value) > 0 THEN
        SET v_problem = CONCAT('unknown option unique.', LEFT(JSON_EXTRACT(JSON_KEYS(v_value), '$[0]'), ${SHOWN}), ': leave it out, or use queue.enqueue()');
      END IF;
    END IF;
  END IF;${NUMBERS}${TEXTS}
  IF v_problem IS NULL THEN
    IF v_delay IS NOT NULL AND v_run_at IS NOT NULL THEN
      SET v_problem = CONCAT('runAt ', v_run_at, ' and delay ', v_delay, ': leave one of them out');
    ELSEIF v_is_unique AND v_unique_key IS NULL THEN
      SET v_problem = 'unique without a key: set unique.key. SQL does not compute one from the payload';
    ELSEIF v_while NOT IN ('queued', 'unfinished') THEN
      SET v_problem = CONCAT('unique.while ', QUOTE(LEFT(v_while, ${SHOWN})), ': use queued or unfinished');
    ELSEIF v_on_conflict NOT IN ('return', 'throw') THEN
      SET v_problem = CONCAT('unique.onConflict ', QUOTE(LEFT(v_on_conflict, ${SHOWN})), ': use return or throw. Only queue.enqueue() can replace');
    END IF;
  END IF;`;
}
