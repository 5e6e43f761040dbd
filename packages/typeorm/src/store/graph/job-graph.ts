import type { LiveState, Outcome } from '../../tables/job.js';
import type { MemberOutcome } from '../../tables/member.js';
import type { StepState } from '../../tables/step.js';
import type { JobCount } from '../base/jobs/job-count.js';

/** A job of a graph. */
export interface GraphJob {
  readonly id: string;
  readonly name: string;
  readonly state: LiveState | Outcome;
  /** The group that it is a member of. */
  readonly group: string | undefined;
}

/** A step or a wait of the durable job that a graph is about. */
export interface GraphStep {
  /** Empty for the cursor of the handler. */
  readonly name: string;
  readonly kind: 'step' | 'sleep' | 'signal' | 'child' | 'cursor';
  readonly state: StepState;
  /** The group of the children that it has started. */
  readonly set: string | undefined;
}

/** A member that is drawn on its own. Its job is missing in the graph if it was pruned. */
export interface GraphMember {
  readonly id: string;
  readonly outcome: MemberOutcome;
}

/** Members with the same outcome that are drawn together. */
export interface GraphMembers {
  readonly outcome: MemberOutcome;
  /** The state of all of them; undefined if it was not read for all, or they were pruned. */
  readonly state: LiveState | Outcome | undefined;
  /** Up to three of their names. They are the names of all if the state is known. */
  readonly names: readonly string[];
  readonly jobs: JobCount;
}

/** A group with its callbacks, without its members. */
export interface GroupRow {
  readonly id: string;
  /** The number of its members. */
  readonly jobs: number;
  readonly onSuccess: string | undefined;
  readonly onFailure: string | undefined;
  readonly onComplete: string | undefined;
  /** The durable job whose children the members are. */
  readonly parent: string | undefined;
  /** Whether all members have ended, and the callbacks were triggered. */
  readonly isFinished: boolean;
}

/** How the members of a group are drawn. */
export interface DrawnMembers {
  readonly members: readonly GraphMember[];
  readonly others: readonly GraphMembers[];
}

export interface GraphGroup extends GroupRow, DrawnMembers {}

/** A job with everything that it depends on, and that depends on it, up to a number of nodes. */
export interface JobGraph {
  /** The job that the graph is about. */
  readonly job: GraphJob;
  /** All jobs that are drawn on their own, that one included. */
  readonly jobs: readonly GraphJob[];
  /** Its latest steps, in the order in which they were stored. */
  readonly steps: readonly GraphStep[];
  /** How many steps it has stored before them. */
  readonly earlierSteps: number;
  readonly groups: readonly GraphGroup[];
  /** Whether groups are missing because the graph would be too large. */
  readonly isCut: boolean;
}
