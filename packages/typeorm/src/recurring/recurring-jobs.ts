import { type ActionOptions, recorded, resolveActionRecord } from '../action-options.js';
import type { Codecs } from '../codec/codecs.js';
import { type JobDefinition, assertJobDefinition } from '../definition/job-definition.js';
import { newJobId, uuidFromBytes } from '../definition/job-id.js';
import { assertScheduleName } from '../definition/names.js';
import { tenantOf } from '../definition/tenant.js';
import { mapConcurrently } from '../async/map-concurrently.js';
import { type Engine, type OperationFactory, executeRead } from '../engine/engine.js';
import { InvalidOptionError } from '../errors/index.js';
import type { NewJob } from '../store/base/jobs/new-job.js';
import { deleteSchedule } from '../store/schedules/delete-schedule.js';
import { findSchedules } from '../store/schedules/find-schedules.js';
import { fireScheduleNow } from '../store/schedules/fire-schedule-now.js';
import { pauseSchedule } from '../store/schedules/pause-schedule.js';
import { resumeSchedule } from '../store/schedules/resume-schedule.js';
import { setSchedule } from '../store/schedules/set-schedule.js';
import type { ScheduleSource } from '../tables/schedule.js';
import { jobOf } from './due-jobs.js';
import { type Schedule, toPublic } from './schedule.js';
import { type ScheduleOptions, resolveScheduleOptions } from './schedule-options.js';
import { schedulePayload } from './schedule-payload.js';

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
    private readonly codecs: Codecs,
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
    const text = await schedulePayload(this.engine, this.codecs, this.maxPayloadBytes, { name, definition, payload });
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
    return mapConcurrently(stored, 1, (schedule) => toPublic(schedule, this.codecs));
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
