import type { JobDetail, StoredJob } from '../src/contract.js';
import { type Shop, uuid } from './shop.js';

export const isManual = (action: string | undefined): boolean =>
  action !== undefined && ['edit', 'copy', 'reschedule', 'delete'].includes(action);

/** Does an action to one job, or enqueues one. */
export function actByHand(
  shop: Shop,
  id: string,
  action: string,
  { runAt, name, queue }: { readonly runAt?: unknown; readonly name?: unknown; readonly queue?: unknown },
): JobDetail | StoredJob | undefined {
  const row = shop.byId(id) ?? shop.rows[0];
  if (!row) {
    return undefined;
  }
  shop.note(action, id, 'done');
  if (action === 'delete') {
    shop.rows.splice(shop.rows.indexOf(row), 1);
    return { id };
  }
  if (action === 'reschedule') {
    Object.assign(row, { state: 'scheduled', runAt });
    return shop.detail(id, true);
  }
  const ready = { state: 'ready', finishedAt: null, startedAt: null, runAt: Date.now() } as const;
  if (action === 'edit') {
    Object.assign(row, ready);
    return shop.detail(id, true);
  }
  const copy = { ...row, ...ready, id: uuid(50_000 + shop.rows.length) };
  shop.rows.push(typeof name === 'string' && typeof queue === 'string' ? { ...copy, name, queue } : copy);
  return { id: copy.id };
}
