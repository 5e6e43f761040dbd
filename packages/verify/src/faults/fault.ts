import type { Random } from '../random.js';
import type { FaultContext } from './fault-context.js';

/**
 * What a fault requires.
 *
 * - `processes`: the workers and producers, which always exist.
 * - `proxy`: the TCP proxy between them and the server. It is started if a chosen fault needs it.
 * - `server`: a `ServerControl`, which the caller of `verify` provides.
 * - `clock`: a `ServerControl` that can set the server's clock.
 * - `connection`: a database server, so not SQLite.
 */
export type FaultNeed = 'processes' | 'proxy' | 'server' | 'clock' | 'connection';

/**
 * A consequence of a fault that breaks no promise. It holds for the targets of the fault, from its start until two
 * leases after its end.
 *
 * - `rerun`: a job whose attempt had no outcome runs again.
 * - `delay`: enqueues and starts are late.
 * - `order`: a job is skipped, because another session has locked its row, or claimed in a wrong order.
 * - `limits`: more jobs run than a limit allows, because the limit is gone.
 * - `loss`: commits are gone that the server confirmed, and everything is as it was before them.
 * - `clock`: times in the database are hours off.
 *
 * A fault that allows nothing must have no visible effect.
 */
export type Allowance = 'rerun' | 'delay' | 'order' | 'limits' | 'loss' | 'clock';

/** One kind of fault. `index.ts` lists them. */
export interface Fault {
  /** Its name in options, records and verdicts: `kill-worker`. */
  readonly name: string;
  readonly needs: readonly FaultNeed[];
  readonly allows: readonly Allowance[];
  /**
   * `once`: it occurs once, from the start of the load until all faults are healed. Default: it occurs repeatedly, at
   * times that the seed determines.
   */
  readonly when?: 'once';
  /**
   * Injects the fault, waits, and heals it. It calls `context.begin` before the first harm, and `end` of the result
   * after the last. It takes all random values from `random`, so that a seed repeats them.
   *
   * @param signal is aborted when the load ends. The fault then heals at once and returns.
   * @throws an error that prevents the fault or its healing. The verdict then reports a problem.
   */
  inject(context: FaultContext, random: Random, signal: AbortSignal): Promise<void>;
}
