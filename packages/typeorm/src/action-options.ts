import { newJobId } from './definition/job-id.js';
import type { OperationFactory } from './engine/engine.js';
import { InvalidOptionError } from './errors/index.js';
import { assertKnownOptions } from './options.js';
import { type ActionRecord, recordAction } from './store/actions/record-action.js';
import { AUDIT_LENGTH } from './tables/audit.js';

/** What is done by hand takes: who does it. */
export interface ActionOptions {
  /**
   * Who does it, 1 to 191 characters, or null for somebody unknown: then it is noted in `tq_audit`, in the transaction that
   * does it. Default: nothing is noted.
   */
  readonly by?: string | null;
}

/**
 * What is to be noted of an action; undefined where nobody says who does it.
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

/** The same operation with a note of what it has done, for an operation that does one thing. To be run as a transaction. */
export function recorded<T>(
  note: ActionRecord | undefined,
  factory: OperationFactory<T>,
  hasChanged: (result: T) => boolean = () => true,
): OperationFactory<T> {
  return note === undefined
    ? factory
    : function* (dialect, again) {
        const result = yield* factory(dialect, again);
        const changed = hasChanged(result) ? 1 : 0;
        yield* recordAction(dialect, note, { changed, skipped: 1 - changed });
        return result;
      };
}
