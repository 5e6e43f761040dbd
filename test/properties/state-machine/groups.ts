import type { FinalState } from './final-state.js';
import type { ModelGroup } from './model-group.js';
import type { ModelJob } from './model-job.js';

/** The part of the model that groups use. */
interface Jobs {
  readonly now: number;
  job(id: string): ModelJob | undefined;
  end(job: ModelJob, state: FinalState): void;
}

/** The groups of jobs, by the model. */
export class Groups {
  readonly all: ModelGroup[] = [];

  constructor(private readonly model: Jobs) {}

  add(id: string, members: readonly ModelJob[], callbacks: ModelGroup['callbacks']): void {
    const open = new Map(members.map((job) => [job.id, 'open' as const]));
    const group: ModelGroup = { id, members: open, callbacks, isFailureKnown: false, finishedAt: undefined };
    members.forEach((job) => (job.group = group));
    this.all.push(group);
  }

  /**
   * Triggers the callbacks of groups that are due. A callback that is cancelled may be a member of another group.
   *
   * @returns how many jobs are ready now.
   */
  triggerCallbacks(): number {
    let count = 0;
    for (let due = this.due; due.length > 0; due = this.due) {
      due.forEach((group) => (count += this.triggerCallbacksOf(group)));
    }
    return count;
  }

  prune(age: number): void {
    const old = this.all.filter(({ finishedAt }) => finishedAt !== undefined && finishedAt < this.model.now - age);
    old.forEach((group) => this.all.splice(this.all.indexOf(group), 1));
  }

  private get due(): ModelGroup[] {
    return this.all.filter((group) => {
      return group.finishedAt === undefined && (!isOpen(group) || (hasFailure(group) && !group.isFailureKnown));
    });
  }

  private triggerCallbacksOf(group: ModelGroup): number {
    const { onSuccess, onFailure, onComplete } = group.callbacks;
    const [runs, never] = hasFailure(group) ? [onFailure, onSuccess] : [onSuccess, onFailure];
    const ready = this.waiting(isOpen(group) ? [runs] : [runs, onComplete]);
    ready.forEach((job) => Object.assign(job, { state: 'ready', due: this.model.now }));
    this.waiting([never]).forEach((job) => this.model.end(job, 'cancelled'));
    group.isFailureKnown ||= hasFailure(group);
    group.finishedAt = isOpen(group) ? undefined : this.model.now;
    return ready.length;
  }

  /** Cancelled callbacks do not wait any more. */
  private waiting(ids: readonly (string | undefined)[]): ModelJob[] {
    const jobs = ids.flatMap((id) => (id === undefined ? [] : (this.model.job(id) ?? [])));
    return jobs.filter(({ state }) => state === 'waiting');
  }
}

function isOpen({ members }: ModelGroup): boolean {
  return [...members.values()].includes('open');
}

function hasFailure({ members }: ModelGroup): boolean {
  return [...members.values()].some((outcome) => outcome === 'failed' || outcome === 'cancelled');
}
