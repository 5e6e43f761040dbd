import { type Fragment, type Parameter, sql } from '../../../engine/sql.js';
import { readyPosition } from '../order/sort-key.js';
import { laneOf } from '../order/tenant-lane.js';
import type { DueTime } from '../../../definition/due-time.js';
import type { NewJob } from './new-job.js';

/** Expressions for the columns that place a new job in its lane. Their values are open: see `addState`. */
export interface InitialState {
  readonly state: Fragment;
  /** Only where some of the jobs have a tenant. */
  readonly lane: Fragment;
  readonly position: Fragment;
  readonly runAt: Fragment;
}

const ZERO = sql`0`;
const WAITING = sql`'waiting'`;
const READY = sql`'ready'`;
const SCHEDULED = sql`'scheduled'`;

/**
 * The states of new jobs, computed by the database: its clock decides.
 *
 * Jobs that are due in the same way get the same expressions whatever their values, so the text of an INSERT recurs.
 */
export class InitialStates {
  private waiting: InitialState | undefined;
  private orderedAt: InitialState | undefined;
  private orderedIn: InitialState | undefined;
  private ready: InitialState | undefined;
  private delayed: InitialState | undefined;
  private scheduled: InitialState | undefined;

  /**
   * @param now an expression for the present time.
   * @param hasTenants whether some of the jobs have a tenant.
   * @param hasPriorities whether some of the jobs have a priority other than 0.
   */
  constructor(
    private readonly now: Fragment,
    private readonly hasTenants: boolean,
    private readonly hasPriorities: boolean,
  ) {}

  /** Returns the state of a job, and adds its values to the parameters in the order of the columns. */
  addState({ due, priority, tenant, waits, order }: NewJob, parameters: Parameter[]): InitialState {
    if (waits) {
      return (this.waiting ??= { state: WAITING, lane: ZERO, position: this.now, runAt: this.now });
    }
    if (order !== null) {
      return this.addOrdered(due, parameters);
    }
    if ('at' in due) {
      const { at } = due;
      parameters.push(at);
      if (this.hasTenants) {
        parameters.push(at, laneOf(tenant));
      }
      if (this.hasPriorities) {
        parameters.push(at, at, priority);
      }
      parameters.push(at, at);
      return (this.scheduled ??= this.makeScheduled());
    }
    if (due.delay > 0) {
      parameters.push(due.delay, due.delay);
      return (this.delayed ??= this.makeDelayed());
    }
    if (this.hasTenants) {
      parameters.push(laneOf(tenant));
    }
    if (this.hasPriorities) {
      parameters.push(priority);
    }
    return (this.ready ??= this.makeReady());
  }

  /** A job with an order waits for its turn. Its due time is kept until then. */
  private addOrdered(due: DueTime, parameters: Parameter[]): InitialState {
    const { now } = this;
    const place = { state: WAITING, lane: ZERO, position: now };
    parameters.push('at' in due ? due.at : due.delay);
    return 'at' in due
      ? (this.orderedAt ??= { ...place, runAt: sql.open })
      : (this.orderedIn ??= { ...place, runAt: sql`${now} + ${sql.open}` });
  }

  private makeReady(): InitialState {
    const { now } = this;
    const position = this.hasPriorities ? readyPosition(sql.open, now) : now;
    return { state: READY, lane: sql.open, position, runAt: now };
  }

  private makeDelayed(): InitialState {
    const later = sql`${this.now} + ${sql.open}`;
    return { state: SCHEDULED, lane: ZERO, position: later, runAt: later };
  }

  /** Due at a time, which may be over. */
  private makeScheduled(): InitialState {
    const isLater = sql`${sql.open} > ${this.now}`;
    return {
      state: sql`CASE WHEN ${isLater} THEN 'scheduled' ELSE 'ready' END`,
      lane: sql`CASE WHEN ${isLater} THEN 0 ELSE ${sql.open} END`,
      position: this.hasPriorities
        ? sql`CASE WHEN ${isLater} THEN ${sql.open} ELSE ${readyPosition(sql.open, sql.open)} END`
        : sql.open,
      runAt: sql.open,
    };
  }
}
