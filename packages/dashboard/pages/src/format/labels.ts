import type { BulkAction, JobState } from '../contract.js';

export const LIVE_STATES = ['running', 'ready', 'scheduled', 'waiting'] as const;
export const STATES: readonly JobState[] = [...LIVE_STATES, 'failed', 'succeeded', 'cancelled', 'expired'];

export const isLive = (state: JobState): boolean => (LIVE_STATES as readonly JobState[]).includes(state);

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

interface ActionWords {
  readonly verb: string;
  readonly doing: string;
  readonly done: string;
  /** What the action does, for its dialog. */
  readonly effect: string;
}

export const ACTIONS: Readonly<Record<BulkAction, ActionWords>> = {
  retry: {
    verb: 'Retry',
    doing: 'Retrying',
    done: 'Retried',
    effect: 'They become ready again, with all their retries.',
  },
  'run-now': {
    verb: 'Run now',
    doing: 'Making ready',
    done: 'Made ready',
    effect: 'They become due now instead of at their time.',
  },
  skip: {
    verb: 'Skip',
    doing: 'Skipping',
    done: 'Skipped',
    effect: 'They stay failed, and the next jobs of their order keys run.',
  },
  cancel: {
    verb: 'Cancel',
    doing: 'Cancelling',
    done: 'Cancelled',
    effect:
      'They will not run. The handler of a running job is signalled to stop, and the job ends when the handler does.',
  },
  priority: {
    verb: 'Change priority',
    doing: 'Changing the priority of',
    done: 'Changed the priority of',
    effect: 'From -500 to 500. Lower numbers run first.',
  },
  move: {
    verb: 'Move',
    doing: 'Moving',
    done: 'Moved',
    effect: 'They keep their state, priority and due time. A worker must have their handler for the new queue.',
  },
  delete: {
    verb: 'Delete',
    doing: 'Deleting',
    done: 'Deleted',
    effect: 'They are gone for good, with their payloads, results and errors. A deleted job blocks no order key.',
  },
};
