import { newJobId } from './definition/job-id.js';
import type { OperationFactory } from './engine/engine.js';
import { InvalidOptionError } from './errors/index.js';
import { assertKnownOptions } from './options.js';
import { type ActionRecord, recordAction } from './store/actions/record-action.js';
import { AUDIT_LENGTH } from './tables/audit.js';

/** Options of manual actions: who did it, for the audit log. */
export interface ActionOptions {
  /**
   * The person or program that acts: 1 to 191 characters, or null if unknown. The action is then recorded in
   * `tq_audit`, in the same transaction. Default: it is not recorded.
   */
  readonly by?: string | null;
}

/** Options of `queue.control.pause`. */
export interface PauseOptions extends ActionOptions {
  /** Why, for the audit log: 1 to 500 characters. Recorded only with `by`. Default: no reason. */
  readonly reason?: string;
}

const LONGEST_REASON = 500;

/**
 * Returns the detail of an action with a reason, for the audit log; null without one.
 *
 * @throws InvalidOptionError
 */
export function resolveReason(reason: unknown): { readonly reason: string } | null {
  if (reason === undefined) {
    return null;
  }
  if (typeof reason !== 'string' || reason === '' || reason.length > LONGEST_REASON) {
    throw new InvalidOptionError('reason', reason, `a text of 1 to ${LONGEST_REASON} characters`);
  }
  return { reason };
}

/**
 * Returns the record of an action for the audit log; undefined without `by`.
 *
 * @throws InvalidOptionError, UnknownOptionError
 */
export function resolveActionRecord(
  options: ActionOptions,
  action: string,
  target: string,
  detail: unknown = null,
): ActionRecord | undefined {
  assertKnownOptions(options, ['by']);
  const { by } = options;
  if (by === undefined) {
    return undefined;
  }
  if (by !== null && (typeof by !== 'string' || by === '' || by.length > AUDIT_LENGTH.who)) {
    throw new InvalidOptionError('by', by, `a text of 1 to ${AUDIT_LENGTH.who} characters, or null`);
  }
  const text = detail === null ? null : JSON.stringify(detail);
  return { id: newJobId(), who: by, action, target: target.slice(0, AUDIT_LENGTH.target), detail: text };
}

/** Adds the record of an action to an operation that changes one thing. Run the result as a transaction. */
export function recorded<T>(
  record: ActionRecord | undefined,
  factory: OperationFactory<T>,
  hasChanged: (result: T) => boolean = () => true,
): OperationFactory<T> {
  return record === undefined
    ? factory
    : function* (dialect, again) {
        const result = yield* factory(dialect, again);
        const changed = hasChanged(result) ? 1 : 0;
        yield* recordAction(dialect, record, { changed, skipped: 1 - changed });
        return result;
      };
}
