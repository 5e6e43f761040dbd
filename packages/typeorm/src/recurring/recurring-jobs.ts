import { type ActionOptions, recorded, resolveActionRecord } from '../action-options.js';
import { type JobDefinition, assertJobDefinition } from '../definition/job-definition.js';
import { newJobId, uuidFromBytes } from '../definition/job-id.js';
import { assertScheduleName } from '../definition/names.js';
import { encodePayload } from '../definition/payload-codec.js';
import { tenantOf } from '../definition/tenant.js';
import { type Engine, type OperationFactory, executeRead } from '../engine/engine.js';
import { InvalidOptionError } from '../errors/index.js';
import type { NewJob } from '../store/base/jobs/new-job.js';
import { deleteSchedule } from '../store/schedules/delete-schedule.js';
import { findSchedules } from '../store/schedules/find-schedules.js';
import { fireScheduleNow } from '../store/schedules/fire-schedule-now.js';
import { pauseSchedule } from '../store/schedules/pause-schedule.js';
import { resumeSchedule } from '../store/schedules/resume-schedule.js';
import type { StoredSchedule } from '../store/schedules/schedule-row.js';
import { setSchedule } from '../store/schedules/set-schedule.js';
import type { ScheduleSource } from '../tables/schedule.js';
import { jobOf } from './due-jobs.js';
import { type ScheduleOptions, resolveScheduleOptions } from './schedule-options.js';

/** A schedule at the time of the read. */
export interface Schedule {
  readonly name: string;
  /** The name of its jobs' definition. */
  readonly job: string;
  readonly queue: string;
  readonly payload: unknown;
  /** The version of the definition that set it. */
  readonly payloadVersion: number;
  /** The cron expression; undefined for an interval. */
  readonly cron: string | undefined;
  /** The IANA time zone of the cron expression; undefined for an interval. */
  readonly timeZone: string | undefined;
  /** The interval between ticks, in ms; undefined with a cron expression. */
  readonly every: number | undefined;
  readonly catchUp: 'none' | 'latest' | 'all';
  readonly overlap: boolean;
  readonly priority: number;
  /** How long its jobs may wait for their start, in ms; undefined for no limit. */
  readonly expiresIn: number | undefined;
  readonly key: string | undefined;
  readonly tenant: string | undefined;
  /** `'code'` for a schedule of `@Recurring`, `'api'` for one of `recurring.set`. */
  readonly definedBy: ScheduleSource;
  /** When it was paused; undefined if it is not paused. */
  readonly pausedAt: Date | undefined;
  /** The next tick; undefined while it is paused. */
  readonly nextFireAt: Date | undefined;
  /** The last tick that enqueued a job, or the time of a later `fireNow`. */
  readonly lastFireAt: Date | undefined;
  /** The id of the last job. */
  readonly lastJobId: string | undefined;
  /** How often ticks were skipped, by `catchUp` or by `overlap: false`; consecutive missed ticks count once. */
  readonly skipped: number;
  /** The latest tick that was skipped. */
  readonly lastSkippedAt: Date | undefined;
}

/**
 * Schedules: they enqueue jobs repeatedly, by a cron expression or at an interval. Each tick fires exactly once, even
 * if processes crash, and in any number of processes. Its job then runs at least once, like any other.
 *
 * Every worker fires the ticks of all queues, by the database's clock. Changes apply to all processes. They are not
 * part of the caller's transaction.
 */
export class RecurringJobs {
  private readonly listeners = new Set<() => void>();

  /** @param notify notifies the workers of this process of a new job. */
  /** @internal */
  constructor(
    private readonly engine: Engine,
    private readonly maxPayloadBytes: number,
    private readonly notify: (job: NewJob) => Promise<unknown> | undefined,
  ) {}

  /**
   * Creates a schedule, or changes an existing one. Its next tick changes only if `cron`, `timeZone` or `every` change,
   * so a process can set its schedules at every start. A paused schedule stays paused.
   *
   * The workers of this process use it immediately, other processes within `maintenance.scheduler`.
   *
   *     await queue.recurring.set('nightly-report', report, { kind: 'daily' }, { cron: '0 3 * * *' });
   *
   * @param payload the payload of its jobs, validated like a payload of `enqueue`.
   * @throws InvalidNameError when the name has invalid characters or is too long.
   * @throws InvalidOptionError, UnknownOptionError for invalid options.
   * @throws InvalidPayloadError, UnserializablePayloadError, PayloadTooLargeError for an invalid payload.
   */
  async set<Input, Output>(
    name: string,
    definition: JobDefinition<Input, Output>,
    payload: Input,
    options: ScheduleOptions,
  ): Promise<void> {
    await this.define(name, definition, payload, options, 'api');
  }

  /** The same as `set`, for `@Recurring`. */
  async define<Input, Output>(
    name: string,
    definition: JobDefinition<Input, Output>,
    payload: Input,
    options: ScheduleOptions,
    definedBy: ScheduleSource,
  ): Promise<void> {
    assertScheduleName(name);
    assertJobDefinition('definition', definition);
    if (definition.order) {
      throw new InvalidOptionError(
        'definition',
        definition.name,
        'one whose jobs have no order: let the job enqueue them',
      );
    }
    const checked = resolveScheduleOptions(options);
    const text = await encodePayload(definition, payload, this.maxPayloadBytes);
    const { name: jobName, queue, version, expiresIn = null } = definition;
    const tenant = tenantOf(definition, payload, options.tenant);
    const wanted = {
      name,
      jobName,
      queue,
      payload: text,
      payloadVersion: version,
      ...checked,
      expiresIn,
      tenant,
      definedBy,
    };
    await this.engine.execute((dialect) => setSchedule(dialect, wanted), { purpose: 'set a schedule' });
    this.notifySchedulers();
  }

  /**
   * Pauses a schedule: its ticks do not fire until `resume`, and are lost. Pausing a paused schedule changes nothing.
   *
   * @returns whether the schedule exists.
   * @throws InvalidNameError, InvalidOptionError, UnknownOptionError for invalid arguments.
   */
  async pause(name: string, options: ActionOptions = {}): Promise<boolean> {
    return this.change(name, 'pause', options, (dialect) => pauseSchedule(dialect, name));
  }

  /**
   * Resumes a paused schedule. An interval starts again from now.
   *
   * @returns whether the schedule exists.
   * @throws InvalidNameError, InvalidOptionError, UnknownOptionError for invalid arguments.
   */
  async resume(name: string, options: ActionOptions = {}): Promise<boolean> {
    const found = await this.change(name, 'resume', options, (dialect) => resumeSchedule(dialect, name));
    this.notifySchedulers();
    return found;
  }

  /**
   * Deletes a schedule. The jobs it has enqueued stay.
   *
   * @returns whether the schedule existed.
   * @throws InvalidNameError for an invalid name.
   */
  async remove(name: string): Promise<boolean> {
    assertScheduleName(name);
    return this.engine.execute((dialect) => deleteSchedule(dialect, name), { purpose: 'remove a schedule' });
  }

  /**
   * Enqueues a job of a schedule now, even if the schedule is paused. Its ticks do not change.
   *
   * @returns the job; undefined if the schedule does not exist, or its last job is unfinished and `overlap` is false.
   * @throws InvalidNameError, InvalidOptionError, UnknownOptionError for invalid arguments.
   */
  async fireNow(name: string, options: ActionOptions = {}): Promise<{ readonly id: string } | undefined> {
    const id = newJobId();
    const job = await this.change(name, 'fire', options, (dialect) => {
      return fireScheduleNow(dialect, name, (schedule) => jobOf(schedule, { delay: 0 }, id));
    });
    if (!job) {
      return undefined;
    }
    await this.notify(job);
    return { id: uuidFromBytes(id) };
  }

  /** Lists all schedules, by name. */
  async list(): Promise<Schedule[]> {
    const stored = await executeRead(this.engine, 'read schedules', (dialect) => findSchedules(dialect));
    return stored.map(toPublic);
  }

  /** Calls the listener when ticks have changed, until the returned function is called: for workers of this process. */
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
    const note = resolveActionRecord(options, action, `schedule ${name}`);
    return this.engine.execute(recorded(note, factory, Boolean), { purpose: `${action} a schedule`, atomic: true });
  }

  private notifySchedulers(): void {
    this.listeners.forEach((listener) => listener());
  }
}

function toPublic(stored: StoredSchedule): Schedule {
  const { jobName, payload, pausedAt, nextFireAt, lastFireAt, lastJobId, lastSkippedAt, revision: _, ...rest } = stored;
  return {
    ...rest,
    job: jobName,
    payload: payload === null ? undefined : (JSON.parse(payload) as unknown),
    cron: rest.cron ?? undefined,
    timeZone: rest.cron === null ? undefined : rest.timeZone,
    every: rest.every ?? undefined,
    expiresIn: rest.expiresIn ?? undefined,
    key: rest.key ?? undefined,
    tenant: rest.tenant ?? undefined,
    pausedAt: dateOf(pausedAt),
    nextFireAt: dateOf(nextFireAt),
    lastFireAt: dateOf(lastFireAt),
    lastJobId: lastJobId === null ? undefined : uuidFromBytes(lastJobId),
    lastSkippedAt: dateOf(lastSkippedAt),
  };
}

function dateOf(time: number | null): Date | undefined {
  return time === null ? undefined : new Date(time);
}
