import type { DataSource } from 'typeorm';

import { waitFor } from '../support/wait-for.js';

/** Waits until the rules were evaluated again, after an evaluation that is under way. */
export async function evaluated(dataSource: DataSource): Promise<void> {
  const readTime = async () => {
    const [row] = await dataSource.query("SELECT checked_at FROM tq_alert WHERE rule = ''");
    return Number((row as { checked_at: unknown } | undefined)?.checked_at ?? 0);
  };
  for (let turn = 0; turn < 2; turn++) {
    const before = await readTime();
    await waitFor('the rules are evaluated', async () => (await readTime()) > before);
  }
}
