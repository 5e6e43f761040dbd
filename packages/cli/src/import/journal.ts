import type { BullState } from './map-job.js';
import type { Redis } from './redis-client.js';

/** A job of a unit, as the journal remembers it. */
export interface JournalNode {
  readonly queue: string;
  /** What the keys of its queue begin with. */
  readonly base: string;
  readonly id: string;
  /** The list or sorted set that it is taken from, without the prefix of its queue. */
  readonly list: string;
  readonly state: BullState;
  /** When it is due here, in ms. */
  readonly runAt: number;
  readonly isBull4: boolean;
  /** How many children its hash waits for. */
  readonly pending: number;
  /** The indexes of its children in the unit. */
  readonly children: readonly number[];
}

/** One job, or the jobs of a flow: taken and stored all or none. */
export interface JournalUnit {
  readonly type: 'jobs';
  /** The first one names the unit. */
  readonly nodes: readonly [JournalNode, ...JournalNode[]];
}

/** A recurring job with all that its schedule needs. */
export interface JournalSchedule {
  readonly type: 'schedule';
  readonly base: string;
  /** Its key in the sorted set `repeat`. */
  readonly key: string;
  /** The delayed job that Bull has made for its next tick. */
  readonly nextId: string | null;
  readonly schedule: {
    readonly name: string;
    readonly jobName: string;
    readonly queue: string;
    readonly payload: string;
    readonly priority: number;
    readonly cron?: string;
    readonly timeZone?: string;
    readonly every?: number;
  };
}

export type JournalEntry = JournalUnit | JournalSchedule;

/** The key of the journal of a queue, and the beginning of the keys of the jobs in it. */
const JOURNAL = 'tablequeue-import';

export function journalKey(base: string): string {
  return `${base}${JOURNAL}`;
}

/** The key of the hash of a job in the journal. */
export function journaledJobKey({ base, id }: Pick<JournalNode, 'base' | 'id'>): string {
  return `${base}${JOURNAL}:${id}`;
}

/** The field of an entry in the journal of its queue. */
export function fieldOf(entry: JournalEntry): string {
  return entry.type === 'schedule' ? `schedule:${entry.key}` : `job:${entry.nodes[0].id}`;
}

function baseOf(entry: JournalEntry): string {
  return entry.type === 'schedule' ? entry.base : entry.nodes[0].base;
}

/**
 * Moves each unit from Bull into the journal in one step, so that a job is always in exactly one of them: its hash is
 * renamed. A unit that has changed since it was read, or that a worker holds, is left alone.
 */
const TAKE = `
  local function isAt(node)
    local list = node.base .. node.list
    if redis.call('TYPE', list).ok == 'zset' then
      return redis.call('ZSCORE', list, node.id) ~= false
    end
    return redis.call('LPOS', list, node.id) ~= false
  end
  local function remove(node)
    local list = node.base .. node.list
    local kind = redis.call('TYPE', list).ok
    if kind == 'zset' then return redis.call('ZREM', list, node.id) == 1 end
    return kind == 'list' and redis.call('LREM', list, -1, node.id) == 1
  end
  local function isFree(node)
    local key = node.base .. node.id
    return redis.call('EXISTS', key) == 1 and redis.call('EXISTS', key .. ':lock') == 0
      and redis.call('SCARD', key .. ':dependencies') == node.pending
      and redis.call('EXISTS', node.base .. KEYS[1] .. ':' .. node.id) == 0
  end
  local taken = {}
  for index = 1, #ARGV, 2 do
    local field, text = ARGV[index], ARGV[index + 1]
    local unit = cjson.decode(text)
    local nodes = unit.nodes
    local journal = nodes[1].base .. KEYS[1]
    local ok = redis.call('HEXISTS', journal, field) == 0
    for _, node in ipairs(nodes) do
      ok = ok and isFree(node) and (#nodes == 1 or isAt(node))
    end
    for _, node in ipairs(nodes) do
      if ok then ok = remove(node) end
      if ok then
        local key = node.base .. node.id
        local deduplicated = redis.call('HGET', key, 'deid')
        if deduplicated then
          local held = node.base .. 'de:' .. deduplicated
          if redis.call('GET', held) == node.id then redis.call('DEL', held) end
        end
        redis.call('ZREM', node.base .. 'priority', node.id)
        redis.call('DEL', key .. ':logs', key .. ':dependencies', key .. ':processed', key .. ':failed', key .. ':unsuccessful')
        redis.call('RENAME', key, node.base .. KEYS[1] .. ':' .. node.id)
      end
    end
    if ok then redis.call('HSET', journal, field, text) end
    taken[#taken + 1] = ok and 1 or 0
  end
  return taken`;

/** The same for a recurring job, and for the job of its next tick. */
const TAKE_SCHEDULE = `
  local base, journal, field, text, key, nextId = ARGV[1], KEYS[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
  if redis.call('ZREM', base .. 'repeat', key) == 0 then return 0 end
  redis.call('HSET', journal, field, text)
  redis.call('DEL', base .. 'repeat:' .. key)
  if nextId ~= '' and redis.call('ZREM', base .. 'delayed', nextId) == 1 then
    redis.call('DEL', base .. nextId, base .. nextId .. ':logs')
  end
  return 1`;

/** Deletes entries whose jobs are stored. The entry goes last: until then the next run stores nothing twice. */
const FORGET = `
  for index = 1, #ARGV, 2 do redis.call('HDEL', ARGV[index], ARGV[index + 1]) end
  for _, key in ipairs(KEYS) do redis.call('DEL', key) end
  return 1`;

/** Takes units out of Redis, into the journal. Returns those that were taken. */
export async function takeUnits(redis: Redis, units: readonly JournalUnit[]): Promise<JournalUnit[]> {
  const entries = units.flatMap((unit) => [fieldOf(unit), JSON.stringify(unit)]);
  const taken = (await redis.eval(TAKE, 1, JOURNAL, ...entries)) as readonly number[];
  return units.filter((_unit, index) => Number(taken[index]) === 1);
}

/** Takes a recurring job out of Redis. Returns whether it was still there. */
export async function takeSchedule(redis: Redis, entry: JournalSchedule): Promise<boolean> {
  const { base, key, nextId } = entry;
  const values = [base, fieldOf(entry), JSON.stringify(entry), key, nextId ?? ''];
  return Number(await redis.eval(TAKE_SCHEDULE, 1, journalKey(base), ...values)) === 1;
}

/** Reads what an interrupted move has left in the journal of a queue. */
export async function readJournal(redis: Redis, base: string): Promise<JournalEntry[]> {
  const entries = Object.values(await redis.hgetall(journalKey(base)));
  return entries.map((text) => JSON.parse(text) as JournalEntry);
}

/** Deletes entries whose jobs are stored here. */
export async function forgetEntries(redis: Redis, entries: readonly JournalEntry[]): Promise<void> {
  const hashes = entries.flatMap((entry) => (entry.type === 'jobs' ? entry.nodes.map(journaledJobKey) : []));
  const fields = entries.flatMap((entry) => [journalKey(baseOf(entry)), fieldOf(entry)]);
  await redis.eval(FORGET, hashes.length, ...hashes, ...fields);
}
