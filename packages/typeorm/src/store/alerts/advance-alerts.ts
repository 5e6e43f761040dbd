import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { insertJobs } from '../base/jobs/insert-jobs.js';
import type { NewJob } from '../base/jobs/new-job.js';
import { readClock } from '../base/read-clock.js';

/** What an evaluation has found. */
export interface Evaluation {
  /** The database's time before the health was read. */
  readonly checkedAt: number;
  readonly found: readonly FoundAlert[];
  /** Whether only a part of the health could be read: then nothing has ended. */
  readonly isPartial: boolean;
  /** Whether earlier messages wait in the queue for too long: then no more are stored. */
  readonly isLate: boolean;
}

/** A problem that a rule matches. */
export interface FoundAlert {
  readonly rule: string;
  readonly kind: string;
  /** How long it must last, in ms. */
  readonly holdFor: number;
}

/** What has changed since the last evaluation. Times in ms. */
export interface AlertChange {
  readonly evaluatedAt: number;
  readonly opened: readonly { readonly rule: string; readonly kind: string; readonly foundAt: number }[];
  readonly resolved: readonly { readonly rule: string; readonly kind: string; readonly openedAt: number }[];
  readonly leftOut: number;
  /** Set if this is the last message that the window allows. */
  readonly pausedUntil: number | undefined;
}

/**
 * The result of an evaluation:
 *
 * - `taken`: a later one is stored, or the row of the window is missing.
 * - `sent`: jobs were stored.
 * - `late`: messages wait for too long, and `markLateAlertSent` was not called since that began.
 */
export type AlertOutcome = 'taken' | 'unchanged' | 'sent' | 'late';

interface AlertRow {
  readonly rule: string;
  readonly kind: string;
  readonly foundAt: number;
  readonly openedAt: number | null;
  readonly isHeld: boolean;
  readonly messages: number;
  readonly leftOut: number;
}

/** A stored time of the last evaluation that is further ahead of the clock is wrong, in ms. */
const AHEAD = 60_000;

/** The alert about messages that wait for too long. No rule of an application has such a name. Jobs do not send it. */
export const LATE_ALERT = { rule: '@alerts', kind: 'late-backlog', holdFor: Infinity } as const;

/** Creates the row of the window, which has no rule and no kind, unless it exists. Index: the primary key. */
export function* insertAlertWindow({ tables, insertIgnore }: Dialect): Operation<void> {
  yield* change(sql`${insertIgnore} ${tables.alert} (rule, kind, found_at) VALUES ('', '', 0)`);
}

/**
 * Stores an evaluation of the rules, and a message about what has changed. One transaction, so each change is sent
 * once: a crash undoes both, and a repetition finds a later evaluation and changes nothing.
 *
 * Index: the primary key; the table has a row for each alert. Locks: the row of the window first, until the commit, so
 * evaluations follow each other. Of two, the one that read the database's clock later counts. See docs/decisions/0143.
 *
 * @param limit how many messages a window has, and its length in ms.
 * @param jobsOf makes the jobs that send a change.
 */
export function* advanceAlerts(
  dialect: Dialect,
  { checkedAt, found, isPartial, isLate }: Evaluation,
  limit: { readonly messages: number; readonly window: number },
  jobsOf: (change: AlertChange) => readonly NewJob[],
): Operation<AlertOutcome> {
  const { tables, now } = dialect;
  const isFirst = yield* change(
    sql`UPDATE ${tables.alert} SET checked_at = ${checkedAt}
        WHERE rule = '' AND kind = '' AND (checked_at < ${checkedAt} OR checked_at > ${now} + ${AHEAD})`,
  );
  if (isFirst === 0) {
    return 'taken';
  }
  const time = yield* readClock(dialect);
  const rows = yield* readRows(dialect);
  const stored = rows.filter(({ rule }) => rule !== '');
  const last = rows.find(({ rule }) => rule === '') as AlertRow;
  const isOpen = last.foundAt <= time && time - last.foundAt < limit.window;
  const window = { began: isOpen ? last.foundAt : time, messages: isOpen ? last.messages : 0 };
  const canSend = !isLate && window.messages < limit.messages;
  const all = isLate ? [...found, LATE_ALERT] : found;

  const due: { rule: string; kind: string; foundAt: number }[] = [];
  for (const { rule, kind, holdFor } of all) {
    const row = stored.find((each) => each.rule === rule && each.kind === kind);
    // A time ahead of the clock was stored before the clock went back.
    const foundAt = row && row.foundAt <= time ? row.foundAt : time;
    if (!row) {
      yield* change(sql`INSERT INTO ${tables.alert} (rule, kind, found_at) VALUES (${rule}, ${kind}, ${foundAt})`);
    } else if (row.foundAt !== foundAt) {
      yield* change(sql`UPDATE ${tables.alert} SET found_at = ${foundAt} WHERE rule = ${rule} AND kind = ${kind}`);
    }
    if ((row?.openedAt ?? null) === null && time - foundAt >= holdFor) {
      due.push({ rule, kind, foundAt });
      const set = canSend ? sql`opened_at = ${time}, is_held = 0` : sql`is_held = 1`;
      yield* change(sql`UPDATE ${tables.alert} SET ${set} WHERE rule = ${rule} AND kind = ${kind}`);
    }
  }

  const ended = isPartial
    ? []
    : stored.filter((row) => !all.some(({ rule, kind }) => rule === row.rule && kind === row.kind));
  const resolved = ended.flatMap(({ rule, kind, openedAt }) => (openedAt === null ? [] : { rule, kind, openedAt }));
  for (const { rule, kind, openedAt } of ended) {
    // What was sent as open stays until its end can be sent.
    if (openedAt === null || canSend) {
      yield* change(sql`${dialect.deleteFrom(tables.alert)} WHERE rule = ${rule} AND kind = ${kind}`);
    }
  }
  const leftOut = last.leftOut + ended.filter(({ openedAt, isHeld }) => openedAt === null && isHeld).length;
  const sends = canSend && due.length + resolved.length + leftOut > 0;
  const messages = window.messages + (sends ? 1 : 0);
  yield* change(
    sql`UPDATE ${tables.alert}
        SET found_at = ${window.began}, messages = ${messages}, left_out = ${sends ? 0 : leftOut}
        WHERE rule = '' AND kind = ''`,
  );
  if (!sends) {
    return isLate && !stored.some(({ rule, openedAt }) => rule === LATE_ALERT.rule && openedAt !== null)
      ? 'late'
      : 'unchanged';
  }
  const pausedUntil = messages < limit.messages ? undefined : window.began + limit.window;
  yield* insertJobs(dialect, jobsOf({ evaluatedAt: time, opened: due, resolved, leftOut, pausedUntil }));
  return 'sent';
}

function* readRows({ tables }: Dialect): Operation<AlertRow[]> {
  const rows = yield* select(
    sql`SELECT rule, kind, found_at, opened_at, is_held, messages, left_out FROM ${tables.alert}`,
  );
  return rows.map((row) => ({
    rule: String(row.rule),
    kind: String(row.kind),
    foundAt: Number(row.found_at),
    openedAt: row.opened_at === null ? null : Number(row.opened_at),
    isHeld: Number(row.is_held) === 1,
    messages: Number(row.messages),
    leftOut: Number(row.left_out),
  }));
}
