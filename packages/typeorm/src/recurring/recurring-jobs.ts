import { type ActionOptions, noting, resolveNote } from '../action-options.js';
import { type JobDefinition, assertJobDefinition } from '../definition/job-definition.js';
import { newJobId, uuidFromBytes } from '../definition/job-id.js';
import { assertScheduleName } from '../definition/names.js';
import { encodePayload } from '../definition/payload-codec.js';
import { tenantOf } from '../definition/tenant.js';
import type { Engine, OperationFactory } from '../engine/engine.js';
import type { NewJob } from '../store/enqueue/new-job.js';
import { deleteSchedule } from '../store/schedules/delete-schedule.js';
import { findSchedules } from '../store/schedules/find-schedules.js';
import { fireScheduleNow } from '../store/schedules/fire-schedule-now.js';
import { pauseSchedule } from '../store/schedules/pause-schedule.js';
import { resumeSchedule } from '../store/schedules/resume-schedule.js';
import type { StoredSchedule } from '../store/schedules/schedule-row.js';
import { setSchedule } from '../store/schedules/set-schedule.js';
import type { CatchUpPolicy, ScheduleSource } from '../tables/schedule.js';
import { jobOf } from './due-jobs.js';
import { type ScheduleOptions, resolveScheduleOptions } from './schedule-options.js';

/** A schedule as it was when it was read. */
export interface Schedule {
  readonly name: string;
  /** The name of its jobs. */
  readonly job: string;
  readonly queue: string;
  readonly payload: unknown;
  /** The version of the definition it was set with. */
  readonly payloadVersion: number;
  readonly cron: string | undefined;
  /** Undefined for an interval. */
  readonly timeZone: string | undefined;
  /** In ms. */
  readonly every: number | undefined;
  readonly catchUp: CatchUpPolicy;
  readonly overlap: boolean;
  readonly priority: number;
  readonly key: string | undefined;
  readonly tenant: string | undefined;
  readonly definedBy: ScheduleSource;
  /** Since when; undefined while it is not paused. */
  readonly pausedAt: Date | undefined;
  /** The next tick; undefined while it is paused. */
  readonly nextFireAt: Date | undefined;
  /** The last tick for which a job was enqueued, or the time of a later `fireNow`. */
  readonly lastFireAt: Date | undefined;
  /** The id of the last job. */
  readonly lastJobId: string | undefined;
  /** How often ticks were left out, by `catchUp` or by `overlap: false`; missed ones in a row count once. */
  readonly skipped: number;
  /** The latest tick that was left out. */
  readonly lastSkippedAt: Date | undefined;
}

/**
 * Schedules: jobs that are enqueued again and again, by a cron expression or at an interval. Each tick is fired once,
 * whatever crashes and however many processes run; its job is then run at least once, like any other.
 *
 * Workers fire the ticks, those of all queues, by the database's clock. What is set, paused or removed here holds in all
 * processes, and is no part of a caller's transaction.
 */
export class RecurringJobs {
  private readonly listeners = new Set<() => void>();

  /** @param ring tells the workers of this process of a new job. */
  constructor(
    private readonly engine: Engine,
    private readonly maxPayloadBytes: number,
    private readonly ring: (job: NewJob) => Promise<unknown> | undefined,
  ) {}

  /**
   * Creates a schedule, or makes it what is given here. It ticks on as before unless `cron`, `timeZone` or `every` have
   * changed, so a process may set its schedules at every start; one that is paused stays paused.
   *
   * The workers of this process know of it at once, those of others within `maintenance.scheduler`.
   *
   * @param payload that of each of its jobs, checked as `enqueue` does.
   * @throws InvalidNameError, InvalidOptionError, UnknownOptionError
   * @throws InvalidPayloadError, UnserializablePayloadError, PayloadTooLargeError
   */
  async set<Input, Output>(
    name: string,
    definition: JobDefinition<Input, Output>,
    payload: Input,
    options: ScheduleOptions,
  ): Promise<void> {
    await this.define(name, definition, payload, options, 'api');
  }

  /** For `@Recurring`: the same as `set`, by somebody else. */
  async define<Input, Output>(
    name: string,
    definition: JobDefinition<Input, Output>,
    payload: Input,
    options: ScheduleOptions,
    definedBy: ScheduleSource,
  ): Promise<void> {
    assertScheduleName(name);
    assertJobDefinition('definition', definition);
    const checked = resolveScheduleOptions(options);
    const text = await encodePayload(definition, payload, this.maxPayloadBytes);
    const { name: jobName, queue, version } = definition;
    const tenant = tenantOf(definition, payload, options.tenant);
    const wanted = { name, jobName, queue, payload: text, payloadVersion: version, ...checked, tenant, definedBy };
    await this.engine.execute((dialect) => setSchedule(dialect, wanted), { purpose: 'set a schedule' });
    this.notifyListeners();
  }

  /**
   * Nothing is enqueued until `resume`, and nothing made up for then. Pausing a paused schedule changes nothing.
   *
   * @returns whether there is such a schedule.
   * @throws InvalidNameError, InvalidOptionError, UnknownOptionError
   */
  async pause(name: string, options: ActionOptions = {}): Promise<boolean> {
    return this.change(name, 'pause', options, (dialect) => pauseSchedule(dialect, name));
  }

  /**
   * Ends a pause. An interval begins anew.
   *
   * @returns whether there is such a schedule.
   * @throws InvalidNameError, InvalidOptionError, UnknownOptionError
   */
  async resume(name: string, options: ActionOptions = {}): Promise<boolean> {
    const found = await this.change(name, 'resume', options, (dialect) => resumeSchedule(dialect, name));
    this.notifyListeners();
    return found;
  }

  /**
   * Deletes a schedule. Jobs it has enqueued stay.
   *
   * @returns whether there was such a schedule.
   * @throws InvalidNameError
   */
  async remove(name: string): Promise<boolean> {
    assertScheduleName(name);
    return this.engine.execute((dialect) => deleteSchedule(dialect, name), { purpose: 'remove a schedule' });
  }

  /**
   * Enqueues a job of a schedule now, also of a paused one. Its ticks stay as they are.
   *
   * @returns the job; undefined if there is no such schedule, or its last job is live and `overlap` is false.
   * @throws InvalidNameError, InvalidOptionError, UnknownOptionError
   */
  async fireNow(name: string, options: ActionOptions = {}): Promise<{ readonly id: string } | undefined> {
    const id = newJobId();
    const job = await this.change(name, 'fire', options, (dialect) => {
      return fireScheduleNow(dialect, name, (schedule) => jobOf(schedule, { delay: 0 }, id));
    });
    if (!job) {
      return undefined;
    }
    await this.ring(job);
    return { id: uuidFromBytes(id) };
  }

  /** All schedules, by name. */
  async list(): Promise<Schedule[]> {
    const stored = await this.engine.execute((dialect) => findSchedules(dialect), {
      purpose: 'read schedules',
      readOnly: true,
    });
    return stored.map(toPublic);
  }

  /** For the workers of this process: calls the listener when ticks have changed, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private change<T extends boolean | NewJob | undefined>(
    name: string,
    action: 'pause' | 'resume' | 'fire',
    options: ActionOptions,
    factory: OperationFactory<T>,
  ): Promise<T> {
    assertScheduleName(name);
    const note = resolveNote(options, action, `schedule ${name}`);
    return this.engine.execute(noting(note, factory, Boolean), { purpose: `${action} a schedule`, atomic: true });
  }

  private notifyListeners(): void {
    this.listeners.forEach((listener) => listener());
  }
}

function toPublic(schedule: StoredSchedule): Schedule {
  const {
    name,
    jobName,
    queue,
    payload,
    payloadVersion,
    cron,
    timeZone,
    every,
    catchUp,
    overlap,
    priority,
    key,
    tenant,
  } = schedule;
  return {
    name,
    job: jobName,
    queue,
    payload: payload === null ? undefined : (JSON.parse(payload) as unknown),
    payloadVersion,
    cron: cron ?? undefined,
    timeZone: cron === null ? undefined : timeZone,
    every: every ?? undefined,
    catchUp,
    overlap,
    priority,
    key: key ?? undefined,
    tenant: tenant ?? undefined,
    definedBy: schedule.definedBy,
    pausedAt: dateOf(schedule.pausedAt),
    nextFireAt: dateOf(schedule.nextFireAt),
    lastFireAt: dateOf(schedule.lastFireAt),
    lastJobId: schedule.lastJobId === null ? undefined : uuidFromBytes(schedule.lastJobId),
    skipped: schedule.skipped,
    lastSkippedAt: dateOf(schedule.lastSkippedAt),
  };
}

function dateOf(time: number | null): Date | undefined {
  return time === null ? undefined : new Date(time);
}
