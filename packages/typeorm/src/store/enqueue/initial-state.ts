import type { Parameter } from '../../engine/operation.js';
import type { NewJob } from './new-job.js';
import { readyPosition } from '../base/sort-key.js';
import { laneOf } from '../claim/tenant-lanes.js';

/** SQL for the place of a new job in its lane. */
export interface InitialState {
  readonly state: string;
  /** Only where some of the jobs have a tenant. */
  readonly owner: string;
  readonly position: string;
  readonly runAt: string;
}

/**
 * The places of new jobs, worked out by the database: its clock is the one that counts.
 *
 * Jobs that are due in the same way get the very same SQL, whatever their values, so that an INSERT of as many jobs has the
 * same text again.
 */
export class InitialStates {
  private readonly waiting: InitialState;
  private readonly ready: InitialState;
  private readonly delayed: InitialState;
  private readonly at: InitialState;

  /**
   * @param now SQL for the present time.
   * @param hasTenants whether some of the jobs have a tenant.
   * @param hasPriorities whether some of them have a priority other than 0.
   */
  constructor(
    now: string,
    private readonly hasTenants: boolean,
    private readonly hasPriorities: boolean,
  ) {
    const later = `${now} + ?`;
    this.waiting = { state: `'waiting'`, owner: '0', position: now, runAt: now };
    this.ready = { state: `'ready'`, owner: '?', position: hasPriorities ? readyPosition('?', now) : now, runAt: now };
    this.delayed = { state: `'scheduled'`, owner: '0', position: later, runAt: later };
    this.at = {
      state: `CASE WHEN ? > ${now} THEN 'scheduled' ELSE 'ready' END`,
      owner: `CASE WHEN ? > ${now} THEN 0 ELSE ? END`,
      position: hasPriorities ? `CASE WHEN ? > ${now} THEN ? ELSE ${readyPosition('?', '?')} END` : '?',
      runAt: '?',
    };
  }

  /** Adds the values of a job's place to the parameters, in the order in which a `NewPlace` has its columns. */
  addPlace({ due, priority, tenant, waits }: NewJob, parameters: Parameter[]): InitialState {
    if (waits) {
      return this.waiting;
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
      return this.at;
    }
    if (due.delay > 0) {
      parameters.push(due.delay, due.delay);
      return this.delayed;
    }
    if (this.hasTenants) {
      parameters.push(laneOf(tenant));
    }
    if (this.hasPriorities) {
      parameters.push(priority);
    }
    return this.ready;
  }
}
