import { createHash } from 'node:crypto';

import type { DataSource } from 'typeorm';
import { v7 } from 'uuid';

import { ID_BYTES } from '../definition/job-id.js';
import { type Engine, executeRead } from '../engine/engine.js';
import { fits } from '../store/base/chunks.js';
import { readClock } from '../store/base/read-clock.js';
import { type ImportedUnit, importJobs } from '../store/imports/import-jobs.js';
import { importedTableName } from '../tables/table-names.js';
import { createImportedTable, dropImportedTable, findImported } from '../store/imports/imported-table.js';

/** The rest of a statement that stores one job. */
const JOB_BYTES = 4_096;

/** What an import must know of the database. */
export interface ImportFacts {
  /** The present time in ms, by the database's clock. */
  readonly now: number;
  /** Whether a statement with these texts is small enough. */
  readonly accepts: (texts: readonly string[]) => boolean;
}

/** Stores jobs of another queue in this one, each once. For the command line. */
export class JobImports {
  private readonly engine: Engine;
  private prepared = false;

  constructor(private readonly queue: { readonly engine: Engine; readonly dataSource: DataSource }) {
    this.engine = queue.engine;
  }

  /** Whether an import has created the table of the imported ids. */
  private async isPrepared(): Promise<boolean> {
    const queryRunner = this.queue.dataSource.createQueryRunner();
    try {
      return await queryRunner.hasTable(importedTableName(this.queue.dataSource));
    } finally {
      await queryRunner.release();
    }
  }

  /** Creates the table of the imported ids, unless it exists. */
  async prepare(): Promise<void> {
    const { isSynchronous } = this.engine;
    await this.engine.execute((dialect) => createImportedTable(dialect, isSynchronous), {
      purpose: 'create the table of imported ids',
    });
  }

  /** Drops the table of the imported ids. */
  async forget(): Promise<void> {
    await this.engine.execute(dropImportedTable, { purpose: 'drop the table of imported ids' });
  }

  /** Finds the ids that were imported, as hex. */
  async findKnown(ids: readonly Buffer[]): Promise<ReadonlySet<string>> {
    this.prepared ||= await this.isPrepared();
    if (!this.prepared) {
      return new Set();
    }
    return executeRead(this.engine, 'find imported ids', (dialect) => findImported(dialect, ids));
  }

  /** Stores units, except those that were imported before. Returns how many jobs were stored. */
  store(units: readonly ImportedUnit[]): Promise<number> {
    return this.engine.execute((dialect) => importJobs(dialect, units), { purpose: 'import jobs', atomic: true });
  }

  /** Reads the clock of the database, and the largest statement that it accepts. */
  facts(): Promise<ImportFacts> {
    return executeRead(this.engine, 'read the clock', function* (dialect) {
      const now = yield* readClock(dialect);
      const accepts = (texts: readonly string[]) =>
        fits(dialect, (measure) => texts.reduce((bytes, text) => bytes + measure(text), JOB_BYTES));
      return { now, accepts };
    });
  }
}

/**
 * Returns the id of an imported job: the same at every run. A UUIDv7 of the time when it was created, so that new rows
 * are close to each other; the rest is a hash of its origin.
 *
 * @param createdAt in ms.
 */
export function importedJobId(createdAt: number, origin: readonly string[]): Buffer {
  const hash = createHash('sha256').update(JSON.stringify(origin)).digest();
  return v7(
    { random: hash.subarray(0, 16), msecs: createdAt, seq: hash.readUInt32BE(16) },
    Buffer.allocUnsafe(ID_BYTES),
  );
}
