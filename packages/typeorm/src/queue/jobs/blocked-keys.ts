import { uuidFromBytes } from '../../definition/job-id.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import { InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { type BlockedKeyRow, FIRST_BLOCKED, findBlockedKeys } from '../../store/ordered/find-blocked-keys.js';

/** An order key that is blocked, because its head has failed: see `OrderOptions.afterFailure`. */
export interface BlockedKey {
  /** The name of the jobs. */
  readonly name: string;
  readonly key: string;
  /** The failed job. Retry it, or skip it. */
  readonly jobId: string;
  /** Since when, by the database's clock. */
  readonly blockedAt: Date;
  /** How many jobs wait behind it, at most 1,000. */
  readonly behind: number;
}

/** Options of `jobs.listBlockedKeys`. */
export interface BlockedKeyOptions {
  /** The size of a page: 1 to 1,000 keys. Default: 100. */
  readonly limit?: number;
  /** `next` of the page before. Default: the first page. */
  readonly after?: string;
}

/** A page of blocked keys. */
export interface BlockedKeyPage {
  /** The keys of the page. */
  readonly keys: readonly BlockedKey[];
  /** Pass it as `after` to get the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/** @throws InvalidOptionError, UnknownOptionError */
export async function listBlockedKeys(engine: Engine, options: BlockedKeyOptions): Promise<BlockedKeyPage> {
  assertKnownOptions(options, ['limit', 'after']);
  const limit = wholeNumber('limit', options.limit ?? 100, 1, 1_000);
  const after = options.after === undefined ? FIRST_BLOCKED : cursorFromText(options.after);
  const rows = await executeRead(engine, 'list blocked order keys', (dialect) =>
    findBlockedKeys(dialect, after, limit + 1),
  );
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { keys: shown.map(toBlockedKey), next: last && textOfCursor(last) };
}

function toBlockedKey({ name, key, jobId, blockedAt, behind }: BlockedKeyRow): BlockedKey {
  return { name, key, jobId: uuidFromBytes(jobId), blockedAt: new Date(blockedAt), behind };
}

type Cursor = Pick<BlockedKeyRow, 'blockedAt' | 'name' | 'key'>;

function textOfCursor({ blockedAt, name, key }: Cursor): string {
  return `${blockedAt} ${name} ${key}`;
}

/** @throws InvalidOptionError for a text that no page has returned. */
function cursorFromText(text: unknown): Cursor {
  const [, blockedAt, name, key] = /^(\d{1,16}) (\S+) (.+)$/s.exec(typeof text === 'string' ? text : '') ?? [];
  if (blockedAt === undefined || name === undefined || key === undefined) {
    throw new InvalidOptionError('after', text, 'the "next" of a page');
  }
  return { blockedAt: Number(blockedAt), name, key };
}
