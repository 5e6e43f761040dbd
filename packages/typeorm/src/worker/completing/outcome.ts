import { plainText } from './error-text.js';
import type { UnhandledReason } from '../running/unhandled-jobs.js';

/** What comes of one run of a job. */
export type AttemptResult =
  /** The work is done, and nothing of the job is to be kept. */
  | { readonly kind: 'succeeded'; readonly keep: 'none' }
  /** `note` is kept as the job's error: what was wrong with the result, if anything. */
  | { readonly kind: 'succeeded'; readonly keep: 'all'; readonly result: string | null; readonly note: string | null }
  /** Written down already, in the handler's own transaction; or not, because the job was no longer this worker's. */
  | { readonly kind: 'committed'; readonly isOurs: boolean }
  /** The handler's own transaction may or may not have been committed; if not, it ends `otherwise`. */
  | {
      readonly kind: 'in doubt';
      /** What of the job is in the history if it was. */
      readonly keep: 'all' | 'none';
      readonly otherwise: AttemptResult;
    }
  /** No attempt is left, or none makes sense. */
  | { readonly kind: 'failed'; readonly error: Error; readonly text: string }
  /** Tried again after `delay` ms. */
  | { readonly kind: 'retried'; readonly error: Error; readonly text: string; readonly delay: number }
  /** Put off for `delay` ms, uncharged. `hasEnded`: by its handler; otherwise it was not run at all. */
  | { readonly kind: 'snoozed'; readonly delay: number; readonly hasEnded: boolean }
  /** It cannot be run here: left for another process, after `delay` ms. `text` tells why, and is the same for all such jobs. */
  | { readonly kind: 'unhandled'; readonly delay: number; readonly reason: UnhandledReason; readonly text: string }
  /** Cancelled while it ran, or before it could be run again; `text` is what the handler threw then. */
  | { readonly kind: 'cancelled'; readonly text: string | null }
  /** Broken off because the worker stops or has lost its lease: handed back, uncharged. */
  | { readonly kind: 'released' };

/** The handler has come to its end without an error. */
export type SucceededOutcome = Extract<AttemptResult, { kind: 'succeeded' }>;

/** An outcome that is still to be written down. */
export type PendingOutcome = Exclude<AttemptResult, { kind: 'committed' | 'in doubt' }>;

/** The work is done, and there is nothing to say of it. */
export const SUCCEEDED: SucceededOutcome = { kind: 'succeeded', keep: 'all', result: null, note: null };

/** Nothing came of the run, if there was one, and that is nobody's fault: a moment later something may. */
export const RESCHEDULED: AttemptResult = { kind: 'snoozed', delay: 1_000, hasEnded: false };

/** Cancelled before it could be run. */
export const CANCELLED: AttemptResult = { kind: 'cancelled', text: null };

export const RETURNED: PendingOutcome = { kind: 'released' };

/** An attempt whose timeout is over still runs here: put off for so long, in ms. */
export const STILL_RUNNING: AttemptResult = { kind: 'snoozed', delay: 10_000, hasEnded: false };

/** The same outcome with nothing in it that a database could refuse. */
export function reducedOutcome(outcome: PendingOutcome, refusal: string): PendingOutcome {
  switch (outcome.kind) {
    case 'succeeded':
      return outcome.keep === 'none'
        ? outcome
        : { ...outcome, result: null, note: plainText(`The result could not be stored: ${refusal}`) };
    case 'failed':
    case 'retried':
      return { ...outcome, text: plainText(outcome.text) };
    case 'cancelled':
      return { ...outcome, text: null };
    default:
      return outcome;
  }
}
