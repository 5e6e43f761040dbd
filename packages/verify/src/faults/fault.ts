import type { Random } from '../random.js';
import type { FaultContext } from './fault-context.js';

/**
 * What a fault cannot do without. `processes`: the processes of the bench, which are always there. `proxy`: the TCP proxy
 * between them and the server, which the bench starts where a fault needs it. `server`: a `ServerControl`, which whoever
 * calls `verify` gives. `connection`: a database server, so not SQLite.
 */
export type FaultNeed = 'processes' | 'proxy' | 'server' | 'connection';

/**
 * What may follow from a fault, for those it has hit and until some time after its end. `rerun`: a job that ran there
 * runs again without having ended. `delay`: enqueues and starts are late. `order`: a job is passed over, because somebody
 * else has locked its row. A fault that excuses nothing has to go by unnoticed.
 */
export type Allowance = 'rerun' | 'delay' | 'order';

/** One kind of fault: one file each in this folder, and an entry in `index.ts`. */
export interface Fault {
  /** Names it in options, journals and verdicts: `kill-worker`. */
  readonly name: string;
  readonly needs: readonly FaultNeed[];
  readonly allows: readonly Allowance[];
  /**
   * `once`: it strikes once, when the load begins, and lasts until everything is healed. Default: again and again, at
   * times that the seed has drawn.
   */
  readonly when?: 'once';
  /**
   * Strikes, lasts for as long as it lasts, and heals what it has done. It tells the scene whom it hits, from before the
   * first harm until after the last: `scene.record`. Everything it draws it draws from `random`, so that a seed repeats it.
   *
   * @param signal is aborted when the time of faults is over: it heals at once then, and returns.
   * @throws what keeps it from striking or healing; the bench then says so and its verdict is no success.
   */
  inject(scene: FaultContext, random: Random, signal: AbortSignal): Promise<void>;
}
