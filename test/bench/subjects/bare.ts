import mysql, { type Connection, type RowDataPacket } from 'mysql2/promise';
import { DataSource } from 'typeorm';

import type { ServerEngine } from '../../servers/server.js';
import { connectionOptions } from '../../support/connection-options.js';
import { inChunks } from '../in-chunks.js';
import { recreateTables } from '../recreate-tables.js';
import type { BenchPayload, Subject, SubjectModule, WorkListener } from '../subject.js';

export { openSteps } from './bare-steps.js';

/*
 * What the servers and the driver can do: the statements of Tablequeue on plain connections, in the same batches,
 * without anything else. No validation, no handlers, no outcome that differs, nothing that could fail. Its INSERT has
 * the time as a value, and the columns that only jobs of other kinds need are not read or copied. It looks for jobs
 * when it has stored some, so that its latency is that of the statements alone. Callers that come while a single job is
 * being stored share the next INSERT.
 */

/** As many as an INSERT of Tablequeue has, on two connections as its two calls at a time do. */
const INSERTS = { size: 1_000, concurrency: 2 };
const MOST_CLAIMED = 800;
const MOST_FINISHED = 800;
/** How many claimed jobs may wait to be finished. */
const MOST_HELD = 2_000;
/** Of each process another. */
const OWNER = 4_000_000_000 + process.pid;
/**
 * How long it waits, in ms, before it looks from the head on: among several processes one passes over a job that
 * another has locked for a moment and leaves.
 */
const LOOKS_AGAIN = 100;
const LANE_HEAD: Pick<Row, 'position' | 'id'> = { position: 0, id: Buffer.alloc(16) };
const NOW = "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000)";

interface Row extends RowDataPacket {
  readonly id: Buffer;
  readonly position: number;
  readonly payload: string;
}

/** One who waits for a job to be stored. */
interface Caller {
  readonly payload: BenchPayload;
  readonly stored: () => void;
}

export const open: SubjectModule['open'] = async (url, ground) => {
  const storing = await Promise.all(Array.from({ length: INSERTS.concurrency }, () => connect(url)));
  let working: readonly Connection[] = [];
  let pipeline: BarePipeline | undefined;
  let callers: Caller[] = [];
  let isStoring = false;
  const storeForCallers = async () => {
    for (let some = callers; some.length > 0; some = callers) {
      callers = [];
      await insert(
        storing[0]!,
        some.map(({ payload }) => payload),
      );
      some.forEach(({ stored }) => stored());
      pipeline?.stored.ring();
      // Until the notified callers have called again.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
    isStoring = false;
  };
  return {
    async reset() {
      const dataSource = await new DataSource(connectionOptions(ground as ServerEngine, url)).initialize();
      await recreateTables(dataSource);
      await dataSource.destroy();
    },
    async enqueueMany(payloads) {
      const free = [...storing];
      await inChunks(payloads, INSERTS, async (chunk) => {
        const connection = free.pop()!;
        await insert(connection, chunk);
        free.push(connection);
      });
    },
    enqueue(payload) {
      return new Promise((stored) => {
        callers.push({ payload, stored });
        if (!isStoring) {
          isStoring = true;
          process.nextTick(() => void storeForCallers());
        }
      });
    },
    async work(listener) {
      // Now and not before, as a worker's.
      const [claiming, finishing] = await Promise.all([connect(url), connect(url)]);
      working = [claiming, finishing];
      pipeline = new BarePipeline(claiming, finishing, listener);
      return pipeline.start();
    },
    async close() {
      await Promise.all([...storing, ...working].map((connection) => connection.end()));
    },
  } satisfies Subject;
};

async function connect(url: string): Promise<Connection> {
  const connection = await mysql.createConnection(url);
  await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
  return connection;
}

/** Prepared, as an INSERT of Tablequeue is once it recurs. */
async function insert(connection: Connection, payloads: readonly BenchPayload[]): Promise<void> {
  const now = Date.now();
  const time = String(now);
  await connection.execute(
    `INSERT INTO tq_job (created_at, state, owner, position, run_at, id, queue, name, payload)
     VALUES ${payloads.map(() => "(?, 'ready', 0, created_at, created_at, ?, 'bench', 'bench.job', ?)").join(',')}`,
    payloads.flatMap((payload) => [time, nextId(now), JSON.stringify(payload)]),
  );
}

let counter = 0;

/** In order of time, as a UUIDv7 is. */
function nextId(now: number): Buffer {
  const id = Buffer.alloc(16);
  id.writeUIntBE(now, 0, 6);
  id.writeUInt32BE(++counter, 6);
  return id;
}

/**
 * The server may end one of two claims that wait for one another, with its transaction: seen once, on MariaDB 10.11.
 */
function nothingAfterDeadlock(error: unknown): readonly Row[] {
  if ((error as { errno?: number }).errno !== 1213) {
    throw error;
  }
  return [];
}

/** Wakes one who waits, or who comes to wait next. */
class Bell {
  private hasRung = false;
  private wake: () => void = () => undefined;

  ring(): void {
    this.hasRung = true;
    this.wake();
  }

  /** Whether it rings, or has rung, before it is time to look again. */
  async heard(): Promise<boolean> {
    if (!this.hasRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOKS_AGAIN);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    const hasRung = this.hasRung;
    this.hasRung = false;
    return hasRung;
  }
}

class BarePipeline {
  readonly stored = new Bell();
  private readonly claimed = new Bell();
  private readonly finished = new Bell();
  private readonly held: Row[] = [];
  /** The last job that it has claimed. */
  private last = LANE_HEAD;
  private claims = 0;
  private isStopped = false;

  constructor(
    private readonly claiming: Connection,
    private readonly finishing: Connection,
    private readonly listener: WorkListener,
  ) {}

  start(): () => Promise<void> {
    const loops = Promise.all([this.claimAll(), this.finishAll()]);
    return async () => {
      this.isStopped = true;
      [this.stored, this.claimed, this.finished].forEach((bell) => bell.ring());
      await loops;
    };
  }

  private async claimAll(): Promise<void> {
    while (!this.isStopped) {
      if (this.held.length >= MOST_HELD) {
        await this.finished.heard();
        continue;
      }
      const rows = await this.claim().catch(nothingAfterDeadlock);
      this.held.push(...rows);
      this.claimed.ring();
      if (rows.length < MOST_CLAIMED && !(await this.stored.heard())) {
        this.last = LANE_HEAD;
      }
    }
  }

  private async finishAll(): Promise<void> {
    while (!this.isStopped) {
      const rows = this.held.splice(0, MOST_FINISHED);
      if (rows.length === 0) {
        await this.claimed.heard();
        continue;
      }
      for (const { payload } of rows) {
        this.listener.started(JSON.parse(payload) as BenchPayload);
      }
      await this.finish(rows);
      rows.forEach(() => this.listener.finished());
      this.finished.ring();
    }
  }

  private async claim(): Promise<readonly Row[]> {
    // Handed over two by two, as Tablequeue does.
    const begun = this.claiming.query('START TRANSACTION');
    const [rows] = await this.claiming.query<Row[]>(
      `SELECT id, owner, attempt, queue, name, job_key, payload, priority, failures, last_error, created_at, run_at,
              claimed_at, position, ${NOW} AS present
       FROM tq_job FORCE INDEX (tq_job_lane)
       WHERE queue = 'bench' AND state = 'ready' AND lane = 0 AND ((position = ? AND id > ?) OR position > ?)
       ORDER BY position, id LIMIT ${MOST_CLAIMED} FOR UPDATE SKIP LOCKED`,
      [this.last.position, this.last.id, this.last.position],
    );
    await begun;
    this.last = rows.at(-1) ?? this.last;
    let marked: Promise<unknown> | undefined;
    if (rows.length > 0) {
      marked = this.claiming.query(
        `UPDATE tq_job FORCE INDEX (PRIMARY)
         SET state = 'running', owner = ${OWNER}, lane = ${OWNER}, position = ${++this.claims}, attempt = attempt + 1,
             claimed_at = ${NOW}
         WHERE id IN (${rows.map(() => '?').join(',')}) AND state = 'ready'`,
        rows.map(({ id }) => id),
      );
    }
    await Promise.all([marked, this.claiming.query('COMMIT')]);
    return rows;
  }

  private async finish(rows: readonly Row[]): Promise<void> {
    const ids = rows.map(({ id }) => id).sort((a, b) => Buffer.compare(a, b));
    const fence = `state = 'running' AND owner = ${OWNER} AND attempt = 1 AND id IN (${ids.map(() => '?').join(',')})`;
    await this.finishing.query(
      `UPDATE tq_job FORCE INDEX (PRIMARY)
       SET state = 'succeeded', lane = 0, position = ${NOW}, finished_at = ${NOW} WHERE ${fence}`,
      ids,
    );
  }
}
