import { type ActionOptions, resolveActionRecord } from '../../action-options.js';
import { assertJobId, BEHIND_ALL_IDS, uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { recordAction } from '../../store/actions/record-action.js';
import { findOperations } from '../../store/bulk/find-operations.js';
import { insertOperation } from '../../store/bulk/insert-operation.js';
import { stopOperation } from '../../store/bulk/stop-operation.js';
import { type BulkOperation, bulkRecordOf, toBulkOperation } from './bulk-operation.js';
import { type BulkRequest, resolveBulkRequest } from './bulk-request.js';
import type { BulkRunner } from './bulk-runner.js';

/** Options of `bulk.list`. */
export interface BulkListOptions {
  /** The size of a page: 1 to 1,000 operations. Default: 100. */
  readonly limit?: number;
  /** `next` of the page before. Default: the first page. */
  readonly after?: string;
}

/** A page of bulk operations. */
export interface BulkPage {
  /** The operations, the latest first. */
  readonly operations: readonly BulkOperation[];
  /** Pass it as `after` to get the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/** Options of `bulk.run`. */
export interface BulkRunOptions {
  /** Ends the call early. The operation goes on in a worker; use `stop` to stop it. */
  readonly signal?: AbortSignal;
  /** Called after each step with the operation so far. It must not throw. */
  readonly onProgress?: (operation: BulkOperation) => void;
}

/**
 * Applies an action to all jobs that a filter matches, in the background: `queue.bulk`. An operation is a row, so it
 * goes on after a crash, and every process sees its progress. Its calls commit on their own.
 */
export class BulkOperations {
  /** @internal */
  constructor(
    private readonly engine: Engine,
    private readonly runner: BulkRunner,
  ) {}

  /**
   * Stores a bulk operation. A worker begins within five seconds. Without a worker, call `run`.
   *
   * It changes the jobs that match now, in steps of up to 400 that each commit on their own. Jobs that match later are
   * left alone; jobs that go on before their step are skipped. It has one entry in the audit log, also without `by`.
   *
   * @example
   * ```ts
   * const { id } = await queue.bulk.start({ action: 'retry', filter: { state: 'failed', queue: 'mail' }, by: 'ada' });
   * ```
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for a wrong request.
   */
  async start(request: BulkRequest): Promise<BulkOperation> {
    const operation = resolveBulkRequest(request);
    await this.engine.execute(
      function* (dialect) {
        yield* insertOperation(dialect, operation);
        yield* recordAction(dialect, bulkRecordOf(operation), { changed: 0, skipped: 0 });
      },
      { purpose: 'start a bulk operation', atomic: true },
    );
    return (await this.find(operation.id)) as BulkOperation;
  }

  /**
   * Works on an operation until it has ended, or follows the worker that does. Workers do so on their own: call it
   * where there may be none, or to wait for the end. If the process dies, a worker or another call goes on.
   *
   * @returns the operation at its end, or when the signal was aborted; undefined if it does not exist.
   * @throws InvalidOptionError for an invalid id, UnknownOptionError; DatabaseUnavailableError.
   */
  async run(id: string, options: BulkRunOptions = {}): Promise<BulkOperation | undefined> {
    assertJobId(id);
    assertKnownOptions(options, ['signal', 'onProgress']);
    const { signal, onProgress } = options;
    const row = await this.runner.run(uuidToBytes(id), signal, (each) => onProgress?.(toBulkOperation(each)));
    return row && toBulkOperation(row);
  }

  /**
   * Finds an operation.
   *
   * @returns undefined if it does not exist, or is no longer kept.
   * @throws InvalidOptionError for an invalid id.
   */
  async get(id: string): Promise<BulkOperation | undefined> {
    assertJobId(id);
    return this.find(uuidToBytes(id));
  }

  /**
   * Lists the operations page by page, the latest first. Ended ones are kept as long as the audit log.
   *
   * @throws InvalidOptionError, UnknownOptionError for a wrong option.
   */
  async list(options: BulkListOptions = {}): Promise<BulkPage> {
    assertKnownOptions(options, ['limit', 'after']);
    const limit = wholeNumber('limit', options.limit ?? 100, 1, 1_000);
    const { after } = options;
    if (after !== undefined) {
      assertJobId(after);
    }
    const before = after === undefined ? BEHIND_ALL_IDS : uuidToBytes(after);
    const rows = await executeRead(this.engine, 'read bulk operations', (dialect) =>
      findOperations(dialect, before, limit + 1),
    );
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return { operations: shown.map(toBulkOperation), next: last && uuidFromBytes(last.id) };
  }

  /**
   * Stops an operation. When the call resolves, it changes no more jobs. What it has changed stays. Stopping one that
   * has ended changes nothing, and is not recorded.
   *
   * @example
   * ```ts
   * await queue.bulk.stop(id, { by: 'ada' });
   * ```
   *
   * @returns the operation; undefined if it does not exist.
   * @throws InvalidOptionError for an invalid id or `by`; UnknownOptionError.
   */
  async stop(id: string, options: ActionOptions = {}): Promise<BulkOperation | undefined> {
    assertJobId(id);
    const bytes = uuidToBytes(id);
    const record = resolveActionRecord(options, 'stop', `bulk ${id}`);
    await this.engine.execute(
      function* (dialect) {
        if ((yield* stopOperation(dialect, bytes)) && record) {
          yield* recordAction(dialect, record, { changed: 1, skipped: 0 });
        }
      },
      { purpose: 'stop a bulk operation', atomic: true },
    );
    return this.find(bytes);
  }

  private async find(id: Buffer): Promise<BulkOperation | undefined> {
    const row = await this.runner.find(id);
    return row && toBulkOperation(row);
  }
}
