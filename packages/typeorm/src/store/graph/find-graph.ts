import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { findDrawnMembers, isLarge } from './find-drawn-members.js';
import { findGraphJobs } from './find-graph-jobs.js';
import { findGroupsAround } from './find-groups-around.js';
import { findLatestSteps } from './find-latest-steps.js';
import type { GraphGroup, JobGraph } from './job-graph.js';

/** How many jobs, steps, groups and joined members a graph has at most. See docs/decisions/0144. */
const MOST_NODES = 150;
/** How many groups away from the job a graph ends. */
const MOST_LEVELS = 16;
/** How many groups are drawn whose members are counted. */
const MOST_LARGE = 5;

/**
 * Finds the graph of a job: its latest steps, the groups around it, their members and callbacks, the groups around
 * these, and so on. Index: the primary keys. Reads a bounded number of rows, and no payload: three statements for each
 * level, and two for each large group. Locks nothing.
 *
 * The statements are no snapshot: a job that goes on meanwhile may be shown as before and after.
 *
 * @returns undefined if there is no such job.
 */
export function* findGraph(dialect: Dialect, id: Buffer): Operation<JobGraph | undefined> {
  const [job] = yield* findGraphJobs(dialect, [uuidFromBytes(id)]);
  if (!job) {
    return undefined;
  }
  const { steps, earlierSteps } = yield* findLatestSteps(dialect, id);
  const jobs = new Map([[job.id, job]]);
  const groups = new Map<string, GraphGroup>();
  /** The groups that were found, also those without space. */
  const seen = new Set<string>();
  let space = MOST_NODES - 1 - steps.length - Math.sign(earlierSteps);
  let large = 0;
  let isCut = false;
  let reached = [job];
  let sets = steps.toReversed().flatMap(({ set }) => set ?? []);
  for (let level = 0; reached.length + sets.length > 0; level++) {
    // Those of jobs come first, then the latest children.
    const order = new Map(sets.map((set, index) => [set, index + 1]));
    const found = (yield* findGroupsAround(dialect, reached, sets))
      .filter((group) => !seen.has(group.id))
      .toSorted((one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0));
    if (found.length > 0 && level === MOST_LEVELS) {
      isCut = true;
      break;
    }
    found.forEach((group) => seen.add(group.id));
    // A graph without space for a group has none for its members.
    const chosen = found.slice(0, space).filter((group) => !isLarge(group) || large++ < MOST_LARGE);
    isCut ||= chosen.length < found.length;
    const drawn = yield* findDrawnMembers(dialect, chosen);
    const fresh = new Set<string>();
    for (const group of chosen) {
      const { members = [], others = [] } = drawn.get(group.id) ?? {};
      const { onSuccess, onFailure, onComplete, parent } = group;
      const related = [onSuccess, onFailure, onComplete, parent, ...members.map((member) => member.id)].flatMap(
        (each) => (each === undefined || jobs.has(each) || fresh.has(each) ? [] : each),
      );
      const size = 1 + others.length + related.length;
      if (size > space) {
        isCut = true;
        continue;
      }
      space -= size;
      groups.set(group.id, { ...group, members, others });
      related.forEach((each) => fresh.add(each));
    }
    reached = yield* findGraphJobs(dialect, [...fresh]);
    reached.forEach((each) => jobs.set(each.id, each));
    sets = [];
  }
  return { job, jobs: [...jobs.values()], steps, earlierSteps, groups: [...groups.values()], isCut };
}
