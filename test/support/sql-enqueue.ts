import { createEnqueueProcedure } from '@tablequeue/typeorm';
import type { DataSource, QueryRunner } from 'typeorm';

/** Runs work on one session of the application. */
export async function onSession<T>(dataSource: DataSource, work: (session: QueryRunner) => Promise<T>): Promise<T> {
  const session = dataSource.createQueryRunner();
  try {
    return await work(session);
  } finally {
    await session.release();
  }
}

/** Creates the procedure `tq_enqueue`. */
export async function createProcedure(dataSource: DataSource): Promise<void> {
  await onSession(dataSource, (session) => createEnqueueProcedure(session));
}

/** The arguments of the procedure; options are JSON text or a value. */
export interface Call {
  readonly queue: string | null;
  readonly name: string | null;
  readonly payload?: string | null;
  readonly options?: unknown;
}

/** Calls the procedure on a session and returns the id of the job. */
export async function callOn(session: QueryRunner, { queue, name, payload = null, options }: Call): Promise<string> {
  const text = options === undefined || typeof options === 'string' ? (options ?? null) : JSON.stringify(options);
  await session.query('CALL tq_enqueue(?, ?, ?, ?, @job_id)', [queue, name, payload, text]);
  const [row] = (await session.query('SELECT @job_id AS id')) as { id: string }[];
  return row!.id;
}

/** The same on a session of its own. */
export async function callProcedure(dataSource: DataSource, call: Call): Promise<string> {
  return onSession(dataSource, (session) => callOn(session, call));
}
