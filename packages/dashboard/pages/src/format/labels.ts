import type { JobAction, JobState } from '../contract.js';

export const LIVE_STATES = ['running', 'ready', 'scheduled', 'waiting'] as const;
export const STATES: readonly JobState[] = [...LIVE_STATES, 'failed', 'succeeded', 'cancelled', 'expired'];

export const isLive = (state: JobState): boolean => (LIVE_STATES as readonly JobState[]).includes(state);

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

interface ActionWords {
  readonly verb: string;
  readonly done: string;
  /** What the action does, for its dialog. */
  readonly effect: string;
}

export const ACTIONS: Readonly<Record<JobAction, ActionWords>> = {
  retry: { verb: 'Retry', done: 'Retried', effect: 'They become ready again, with all their retries.' },
  'run-now': { verb: 'Run now', done: 'Made ready', effect: 'They become due now instead of at their time.' },
  skip: {
    verb: 'Skip',
    done: 'Skipped',
    effect: 'They stay failed, and the next jobs of their order keys run.',
  },
  cancel: {
    verb: 'Cancel',
    done: 'Cancelled',
    effect:
      'They will not run. The handler of a running job is signalled to stop, and the job ends when the handler does.',
  },
  priority: {
    verb: 'Change priority',
    done: 'Changed the priority of',
    effect: 'From -500 to 500. Lower numbers run first.',
  },
};
