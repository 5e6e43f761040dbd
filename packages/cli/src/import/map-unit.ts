import type { ImportedJob, ImportedUnit, NewGroup } from '@tablequeue/typeorm/internal';
import { importedJobId } from '@tablequeue/typeorm/internal';

import type { BullJob } from './bull-job.js';
import type { JournalNode, JournalUnit } from './journal.js';
import { type MapContext, type Refused, mapJob } from './map-job.js';

/** What the mapping of all jobs depends on. */
export type MapSettings = Pick<MapContext, 'redisPrefix' | 'names' | 'accepts'>;

/** A unit that can be imported, and what will be different. */
export interface MappedUnit {
  readonly unit: ImportedUnit;
  readonly notes: readonly string[];
}

/**
 * Maps the jobs of a unit. Of a flow, each parent becomes the callback of a group that has its children as members.
 *
 * @param jobs those of the nodes, in their order.
 */
export function mapUnit({ nodes }: JournalUnit, jobs: readonly BullJob[], settings: MapSettings): MappedUnit | Refused {
  const mapped: ImportedJob[] = [];
  const notes: string[] = [];
  for (const [index, { isBull4, state, runAt }] of nodes.entries()) {
    const result = mapJob(jobs[index] as BullJob, { ...settings, isBull4, state, runAt });
    if ('refusal' in result) {
      return nodes.length === 1 ? result : { refusal: `a job of its flow cannot be moved: ${result.refusal}` };
    }
    mapped.push(result.job);
    notes.push(...result.notes);
  }
  const groups: NewGroup[] = [];
  for (const [index, { children }] of nodes.entries()) {
    if (children.length > 0) {
      const callback = callbackOf(children.map((child) => jobs[child] as BullJob));
      if (callback === undefined) {
        return {
          refusal:
            'its children differ in what happens to their parent when they fail, or use continueParentOnFailure, ' +
            'which does not exist here. Let Bull run this flow',
        };
      }
      addGroup(groups, mapped, { index, node: nodes[index] as JournalNode, job: jobs[index] as BullJob, callback });
      notes.push(...notesOnParent(jobs[index] as BullJob));
    }
  }
  return { unit: { jobs: mapped as [ImportedJob, ...ImportedJob[]], groups }, notes };
}

type Callback = 'onSuccess' | 'onComplete';

/** Whether a parent also runs when children fail. Undefined if its children differ. */
function callbackOf(children: readonly BullJob[]): Callback | undefined {
  const kinds = new Set(
    children.map(({ options = {} }) => {
      if (options.cpof) {
        return undefined;
      }
      return options.idof || options.rdof || options.removeDependencyOnFailure ? 'onComplete' : 'onSuccess';
    }),
  );
  return kinds.size === 1 ? [...kinds][0] : undefined;
}

interface Parent {
  readonly index: number;
  readonly node: JournalNode;
  readonly job: BullJob;
  readonly callback: Callback;
}

/** The members get the id of the group; the parent waits for it. */
function addGroup(groups: NewGroup[], jobs: ImportedJob[], { index, node, job, callback }: Parent): void {
  const parent = jobs[index] as ImportedJob;
  const id = importedJobId(job.timestamp, ['bullmq flow', parent.id.toString('hex')]);
  jobs[index] = { ...parent, waits: true };
  for (const child of node.children) {
    jobs[child] = { ...(jobs[child] as ImportedJob), groupId: id };
  }
  groups.push({
    id,
    members: node.children.map((child) => (jobs[child] as ImportedJob).id),
    callbacks: { onSuccess: null, onFailure: null, onComplete: null, [callback]: parent.id },
  });
}

function notesOnParent({ options = {} }: BullJob): readonly string[] {
  return [
    'the results of children are not given to the parent: getChildrenValues() does not exist here, and the results ' +
      'of children that have ended stay in Redis or are lost',
    ...(options.delay ? ['the delay of a parent is ignored: it runs as soon as its children have ended'] : []),
  ];
}
