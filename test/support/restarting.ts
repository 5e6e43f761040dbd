import type { TableQueue } from '@tablequeue/typeorm';

import type { Workbench } from './workbench.js';

/** Lets another worker take a running job over, as the reaper does after the death of its worker. */
export async function takeFromWorker({ dataSource }: Workbench): Promise<void> {
  await dataSource.query(
    `UPDATE tq_job SET state = 'ready', owner = 0, lane = 0, position = run_at, crashes = crashes + 1
     WHERE state = 'running'`,
  );
}

/** The rows of durable steps, as text: `kind name state`. */
export async function stepRows({ dataSource }: TableQueue): Promise<string[]> {
  const rows: { kind: string; name: string; state: string }[] = await dataSource.query(
    'SELECT kind, name, state FROM tq_step ORDER BY seq',
  );
  return rows.map(({ kind, name, state }) => [kind, name, state].filter((part) => part !== '').join(' '));
}
