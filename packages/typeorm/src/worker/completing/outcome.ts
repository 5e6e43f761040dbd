import type { WaitRow } from '../../store/base/steps/step-row.js';
import { plainText } from './error-text.js';

/**
 * Why a process cannot run a job. It has no handler, a definition whose `version` is lower than the payload's, or not
 * the codec of a stored value.
 */
export type UnhandledReason = 'no-handler' | 'newer-payload' | 'unknown-codec';

/** The result of one attempt. */
export type AttemptResult =
  /** The work is done, and the definition keeps nothing of the job. */
  | { readonly kind: 'succeeded'; readonly keep: 'none' }
  /** `resultError` is stored as the job's error: why its result could not be stored. */
  | {
      readonly kind: 'succeeded';
      readonly keep: 'all';
      readonly result: string | null;
      readonly resultError: string | null;
    }
  /** Stored already by the handler's own transaction; or rolled back, because the job was no longer this worker's. */
  | { readonly kind: 'committed'; readonly isOurs: boolean }
  /** The handler's own transaction may or may not have been committed. */
  | {
      readonly kind: 'uncertain';
      /** What is stored of the job if it was. */
      readonly keep: 'all' | 'none';
      readonly ifRolledBack: AttemptResult;
    }
  /** No attempt is left, or another would fail too. */
  | { readonly kind: 'failed'; readonly error: Error; readonly text: string }
  /** Tried again after `delay` ms. */
  | { readonly kind: 'retried'; readonly error: Error; readonly text: string; readonly delay: number }
  /** Runs later, after `delay` ms; not counted as a failure. `hasRun`: whether the handler was called and ended. */
  | { readonly kind: 'snoozed'; readonly delay: number; readonly hasRun: boolean }
  /** Cannot run here: left for another process, after `delay` ms. `text` is the same for all such jobs. */
  | {
      readonly kind: 'unhandled';
      readonly delay: number;
      /** Whether the handler was called: it may have done steps. */
      readonly hasRun: boolean;
      readonly reason: UnhandledReason;
      readonly text: string;
    }
  /** Waits: for a time, for a signal, or for the next try of a step. Not counted as a failure. */
  | ParkedOutcome
  /** Cancelled while it ran, or before it could run again; `text` has the error that the handler threw then. */
  | { readonly kind: 'cancelled'; readonly text: string | null }
  /** Returned to the queue because the worker stops or has lost its lease; not counted as a failure. */
  | { readonly kind: 'returned' };

/** A durable job that waits. */
export interface ParkedOutcome {
  readonly kind: 'parked';
  /** All open waits of the job. */
  readonly waits: readonly WaitRow[];
  /** The errors of steps that are tried again, as text. */
  readonly text: string | null;
  /** In about how many ms the first wait is due; undefined if none has a time. */
  readonly delay: number | undefined;
}

/** The handler has returned. */
export type SucceededOutcome = Extract<AttemptResult, { kind: 'succeeded' }>;

/** An outcome that still has to be stored. */
export type PendingOutcome = Exclude<AttemptResult, { kind: 'committed' | 'uncertain' }>;

/** A success without a result. */
export const SUCCEEDED: SucceededOutcome = { kind: 'succeeded', keep: 'all', result: null, resultError: null };

/** Rescheduled by the worker; not counted as a failure. */
export const RESCHEDULED: AttemptResult = { kind: 'snoozed', delay: 1_000, hasRun: false };

/** Cancelled before it could run. */
export const CANCELLED: AttemptResult = { kind: 'cancelled', text: null };

export const RETURNED: PendingOutcome = { kind: 'returned' };

/** Rescheduled because an attempt that timed out still runs here. */
export const STILL_RUNNING: AttemptResult = { kind: 'snoozed', delay: 10_000, hasRun: false };

/** The same outcome without anything that the database could refuse. */
export function reducedOutcome(outcome: PendingOutcome, refusal: string): PendingOutcome {
  switch (outcome.kind) {
    case 'succeeded':
      return outcome.keep === 'none'
        ? outcome
        : { ...outcome, result: null, resultError: plainText(`The result could not be stored: ${refusal}`) };
    case 'failed':
    case 'retried':
      return { ...outcome, text: plainText(outcome.text) };
    case 'cancelled':
      return { ...outcome, text: null };
    case 'parked':
      return { ...outcome, text: outcome.text === null ? null : plainText(outcome.text) };
    default:
      return outcome;
  }
}
