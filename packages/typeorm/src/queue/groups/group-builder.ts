import { assertJobDefinition } from '../../definition/job-definition.js';
import { newJobId, uuidFromBytes } from '../../definition/job-id.js';
import { InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions, assertList } from '../../options.js';
import type { Callbacks, NewGroup } from '../../store/base/jobs/insert-groups.js';
import type { NewJob } from '../../store/base/jobs/new-job.js';
import type { JobOptions } from '../enqueue/enqueue-options.js';
import type { Enqueuer } from '../enqueue/enqueuer.js';
import { type AnyGroup, CALLBACKS, type GroupIds } from './group-options.js';

const MEMBER_OPTIONS = ['definition', 'payload', 'delay', 'runAt', 'expiresIn', 'priority', 'key', 'tenant'];
const CALLBACK_OPTIONS = ['definition', 'payload', 'priority', 'key', 'tenant'];
const WRAP = 'Put the payload of the job into "payload": { definition, payload: { … } }.';

export interface BuiltGroup {
  readonly id: string;
  readonly members: readonly Buffer[];
  readonly callbacks: Callbacks<Buffer>;
  /** The callback that represents the group in its outer group. */
  readonly representative: Buffer | null;
}

/** Builds the rows of a group, and of the groups inside it. */
export class GroupBuilder {
  readonly groups: NewGroup[] = [];
  readonly jobs: NewJob[] = [];
  /** The lists of jobs of the group that is being built, and of its outer groups. */
  private readonly ancestors = new Set<unknown>();

  constructor(private readonly enqueuer: Enqueuer) {}

  /**
   * @param path the path of the group in the call's options, `''` or ending in a dot.
   * @param outer the group that this one is a member of.
   * @throws InvalidOptionError, UnknownOptionError, and the errors of `Enqueuer.prepare`.
   */
  async add(group: AnyGroup, path: string, outer: Buffer | undefined): Promise<BuiltGroup> {
    assertKnownOptions(group, ['jobs', ...CALLBACKS], path);
    const { jobs } = group;
    assertList(`${path}jobs`, jobs, 'a list of at least one job', 1);
    const present = CALLBACKS.filter((name) => group[name] !== undefined);
    const representative = CALLBACKS.find((name) => name !== 'onFailure' && present.includes(name));
    if (present.length === 0) {
      throw new InvalidOptionError(
        `${path}onComplete`,
        undefined,
        'given, or onSuccess or onFailure: a group has at least one callback',
      );
    }
    if (outer && !representative) {
      throw new InvalidOptionError(
        `${path}onComplete`,
        undefined,
        'given, or onSuccess: the outer group waits for that callback',
      );
    }
    const id = newJobId();
    const members: Buffer[] = [];
    this.ancestors.add(jobs);
    for (const [index, job] of jobs.entries()) {
      members.push(await this.addMember(job, `${path}jobs[${index}].`, id));
    }
    this.ancestors.delete(jobs);
    const ids = { id: uuidFromBytes(id), jobs: members.map(uuidFromBytes) };
    const callbacks: Record<(typeof CALLBACKS)[number], Buffer | null> = {
      onSuccess: null,
      onFailure: null,
      onComplete: null,
    };
    for (const name of present) {
      const groupId = name === representative ? outer : undefined;
      callbacks[name] = await this.addCallback(group[name], `${path}${name}.`, ids, groupId);
    }
    this.groups.push({ id, members, callbacks });
    return { id: ids.id, members, callbacks, representative: representative ? callbacks[representative] : null };
  }

  private async addMember(job: unknown, path: string, groupId: Buffer): Promise<Buffer> {
    if (typeof job === 'object' && job !== null && 'jobs' in job) {
      if (this.ancestors.has(job.jobs)) {
        throw new InvalidOptionError(path.slice(0, -1), '[Circular]', 'a job, or a group that does not contain itself');
      }
      return (await this.add(job as AnyGroup, path, groupId)).representative as Buffer;
    }
    assertKnownOptions(job, MEMBER_OPTIONS, path, WRAP);
    const { definition, payload, ...options } = job as JobOptions & { definition: unknown; payload: unknown };
    return this.addJob(definition, payload, options, path, { groupId });
  }

  private async addCallback(
    callback: unknown,
    path: string,
    ids: GroupIds,
    groupId: Buffer | undefined,
  ): Promise<Buffer> {
    assertKnownOptions(callback, CALLBACK_OPTIONS, path, WRAP);
    const { definition, payload, ...options } = callback as JobOptions & { definition: unknown; payload: unknown };
    const made: unknown = typeof payload === 'function' ? payload(ids) : payload;
    return this.addJob(definition, made, options, path, { waits: true, ...(groupId && { groupId }) });
  }

  private async addJob(
    definition: unknown,
    payload: unknown,
    options: JobOptions,
    path: string,
    relation: Pick<NewJob, 'groupId' | 'waits'>,
  ): Promise<Buffer> {
    assertJobDefinition(`${path}definition`, definition);
    if (definition.unique) {
      throw new InvalidOptionError(
        `${path}definition`,
        definition.name,
        'one whose jobs are not unique: a group needs all its members',
      );
    }
    const prepared = this.enqueuer.prepare(definition, payload, options, path);
    const job = prepared instanceof Promise ? await prepared : prepared;
    if (relation.waits && job.order) {
      throw new InvalidOptionError(
        `${path}definition`,
        definition.name,
        'one whose jobs have no order: a callback waits for its group',
      );
    }
    this.jobs.push({ ...job, ...relation });
    return job.id;
  }
}
