import { type Fragment, sql } from '../../sql.js';
import { hasTransactionIsolation } from '../server/server-version.js';

/*
 * Everything that the queue needs of a session. On the connections of workers it sets what it needs. On those of the
 * application it reads the settings once, and refuses a session that would do harm: see docs/decisions/0048.
 */

/** A setting that the queue gives to its own sessions. */
interface WorkerSetting {
  readonly set: Fragment;
  readonly reason: string;
}

/** Whatever the server's defaults and `init_connect` are. The isolation level and the waits for locks follow it. */
const WORKER_SETTINGS: readonly WorkerSetting[] = [
  { set: sql`NAMES utf8mb4 COLLATE utf8mb4_general_ci`, reason: 'Other character sets lose characters of texts.' },
  { set: sql`SESSION time_zone = '+00:00'`, reason: 'Times in SQL are in UTC.' },
  { set: sql`sql_mode = 'STRICT_TRANS_TABLES'`, reason: 'Values are refused, not cut; quotes are escaped as usual.' },
  { set: sql`autocommit = 1`, reason: 'Statements outside a transaction take effect at once.' },
  { set: sql`completion_type = 0`, reason: 'COMMIT neither begins another transaction nor ends the session.' },
  { set: sql`sql_safe_updates = 0`, reason: 'MariaDB refuses changes that name their rows by a join.' },
  { set: sql`sql_select_limit = DEFAULT`, reason: 'A SELECT returns all rows.' },
  { set: sql`sql_big_selects = 1`, reason: 'No statement is refused because of max_join_size.' },
];

/** The servers have different names for it, and each reads that of the other as a comment. */
const NO_TIME_LIMIT = sql`/*!50708 , max_execution_time = 0 */ /*M!100101 , max_statement_time = 0 */`;

export const WORKER_SESSION = sql`SET ${sql.join(WORKER_SETTINGS.map(({ set }) => set))} ${NO_TIME_LIMIT}`;

/** Why a session is refused: the name for the error, the consequence, and the advice. */
type Refusal = readonly [setting: string, consequence: string, advice: string];

/** A setting of the application's sessions that the queue depends on. */
interface CheckedSetting {
  readonly column: Fragment;
  /** An expression, perhaps depending on the server's version. */
  readonly value: Fragment | ((version: string | undefined) => Fragment);
  /** Why a value is refused. Missing: the queue adapts. */
  refuse?(value: string): Refusal | undefined;
}

export const NO_ESCAPES = [
  'sql_mode = NO_BACKSLASH_ESCAPES',
  'the driver, mysql2, escapes quotes with backslashes, so a quote in a payload would end the text',
  'Remove the mode from sql_mode: every statement of the application has the same problem.',
] as const;

/** The smallest `max_allowed_packet`, in bytes: the pruner names 400 jobs by their ids in one statement. */
const SMALLEST_PACKET = 64 * 1024;

/** Why a session with this `max_allowed_packet` is refused, also on the connections of workers. */
export function refusePacket(value: string): Refusal | undefined {
  return Number(value) < SMALLEST_PACKET
    ? [
        `max_allowed_packet = ${value}`,
        'statements for hundreds of jobs do not fit',
        `Set max_allowed_packet = ${SMALLEST_PACKET} or more on the server; the defaults of servers are 4 MB and more.`,
      ]
    : undefined;
}

/** In the order in which they are checked. */
export const CHECKED_SETTINGS: readonly CheckedSetting[] = [
  {
    column: sql`charsets`,
    value: sql`CONCAT_WS(',', @@character_set_client, @@character_set_connection, @@character_set_results)`,
    refuse: (value) => {
      const narrow = value.split(',').find((name) => name !== 'utf8mb4');
      return narrow === undefined
        ? undefined
        : [
            `the character set ${narrow}`,
            'texts would lose characters, and different keys could become equal',
            'Remove "charset" from the options of the data source or set it to \'utf8mb4_general_ci\', and let ' +
              'init_connect of the server set utf8mb4, for example with SET NAMES utf8mb4.',
          ];
    },
  },
  {
    column: sql`modes`,
    value: sql`@@sql_mode`,
    refuse: (value) => {
      const modes = value.split(',');
      if (modes.includes('NO_BACKSLASH_ESCAPES')) {
        return NO_ESCAPES;
      }
      if (modes.includes('EMPTY_STRING_IS_NULL')) {
        return [
          'sql_mode = EMPTY_STRING_IS_NULL',
          'an empty text is NULL, so lists that start at the empty text have no entries',
          'Remove the mode from sql_mode, or give the queue a data source without it.',
        ];
      }
      return modes.includes('ORACLE')
        ? [
            'sql_mode = ORACLE',
            'its statements have another syntax',
            "Give the queue a data source without it, or set sql_mode = 'STRICT_TRANS_TABLES'.",
          ]
        : undefined;
    },
  },
  {
    column: sql`row_limit`,
    value: sql`@@sql_select_limit`,
    refuse: (value) =>
      Number(value) < Number.MAX_SAFE_INTEGER
        ? [
            `sql_select_limit = ${value}`,
            'the queue would read only some of the rows',
            'Set sql_select_limit = DEFAULT.',
          ]
        : undefined,
  },
  // READ UNCOMMITTED: each operation outside the caller's transactions gets one at READ COMMITTED. Rows that another
  // transaction rolls back would decide otherwise, for example whether a unique job is stored.
  {
    column: sql`isolation`,
    value: (version) => (hasTransactionIsolation(version) ? sql`@@transaction_isolation` : sql`@@tx_isolation`),
  },
  // Without it, each operation gets a transaction.
  { column: sql`autocommit`, value: sql`@@autocommit` },
  // CHAIN: the same. RELEASE: the connection is closed after a transaction of the queue.
  { column: sql`completion`, value: sql`@@completion_type` },
  // Switched off for statements that name their rows by a join.
  { column: sql`safe_updates`, value: sql`@@sql_safe_updates` },
  // Statements are split: see docs/decisions/0102.
  { column: sql`packet`, value: sql`@@max_allowed_packet`, refuse: refusePacket },
  { column: sql`version`, value: sql`VERSION()` },
];
