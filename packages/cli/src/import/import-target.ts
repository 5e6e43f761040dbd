import type { TableQueue } from '@tablequeue/typeorm';
import { type ImportedUnit, JobImports, makeJobDefinition } from '@tablequeue/typeorm/internal';

import { readBullJob } from './bull-job.js';
import {
  type JournalEntry,
  type JournalSchedule,
  type JournalUnit,
  forgetEntries,
  journaledJobKey,
  readJournal,
  takeSchedule,
  takeUnits,
} from './journal.js';
import { type MapSettings, mapUnit } from './map-unit.js';
import type { Redis } from './redis-client.js';
import type { ImportReport } from './report.js';

/** `plan` changes nothing, `copy` leaves Redis as it is, `move` takes the jobs out of Redis. */
export type ImportMode = 'plan' | 'copy' | 'move';

/** A unit with the jobs that it becomes. */
export interface ReadyUnit {
  readonly entry: JournalUnit;
  readonly unit: ImportedUnit;
}

/** Stores jobs and schedules in the way of a mode. */
export class ImportTarget {
  constructor(
    private readonly redis: Redis,
    private readonly queue: TableQueue,
    private readonly imports: JobImports,
    private readonly settings: MapSettings,
    private readonly report: ImportReport,
    private readonly mode: ImportMode,
  ) {}

  /** Stores units that were not imported before. */
  async store(units: readonly ReadyUnit[]): Promise<void> {
    const known = await this.imports.findKnown(units.map(({ unit }) => unit.jobs[0].id));
    const fresh = units.filter(({ entry, unit }) => {
      const isKnown = known.has(unit.jobs[0].id.toString('hex'));
      entry.nodes.forEach(({ queue, state }, index) => {
        if (isKnown) {
          this.report.addKnown(queue, state);
        } else {
          this.report.addMapped(queue, state, unit.jobs.slice(index, index + 1));
        }
      });
      return !isKnown || this.mode === 'move';
    });
    if (this.mode === 'copy') {
      await this.imports.store(fresh.map(({ unit }) => unit));
    } else if (this.mode === 'move' && fresh.length > 0) {
      await this.storeTaken(
        await takeUnits(
          this.redis,
          fresh.map(({ entry }) => entry),
        ),
      );
    }
  }

  /** Sets a schedule. */
  async storeSchedule(entry: JournalSchedule): Promise<void> {
    if (this.mode === 'copy') {
      await this.setSchedule(entry);
    } else if (this.mode === 'move' && (await takeSchedule(this.redis, entry))) {
      await this.storeTakenSchedule(entry);
    }
  }

  /** Stores what an interrupted move has left in the journal of a queue. Returns how many entries there were. */
  async recover(base: string): Promise<number> {
    const entries = await readJournal(this.redis, base);
    const isUnit = (entry: JournalEntry): entry is JournalUnit => entry.type === 'jobs';
    const units = entries.filter(isUnit);
    for (let at = 0; at < units.length; at += MOST_RECOVERED) {
      await this.storeTaken(units.slice(at, at + MOST_RECOVERED));
    }
    for (const entry of entries) {
      if (entry.type === 'schedule') {
        await this.storeTakenSchedule(entry);
      }
    }
    return entries.length;
  }

  /** Reads the jobs again: they may have changed until they were taken. */
  private async storeTaken(entries: readonly JournalUnit[]): Promise<void> {
    const ready: ReadyUnit[] = [];
    // All at once: one round trip for each job would take most of a move's time.
    const read = await Promise.all(
      entries.map(async (entry) => ({
        entry,
        hashes: await Promise.all(entry.nodes.map((node) => this.redis.hgetall(journaledJobKey(node)))),
      })),
    );
    for (const { entry, hashes } of read) {
      const jobs = entry.nodes.map(({ queue, id }, index) => readBullJob(queue, id, hashes[index] ?? {}));
      const isComplete = hashes.every((hash) => Object.keys(hash).length > 0);
      const mapped = isComplete ? mapUnit(entry, jobs, this.settings) : { refusal: 'its hash was removed' };
      const [{ queue, id, state }] = entry.nodes;
      if ('refusal' in mapped) {
        this.report.addRefusal(queue, state, id, `it is in the journal of the import: ${mapped.refusal}`);
      } else {
        ready.push({ entry, unit: mapped.unit });
      }
    }
    if (ready.length > 0) {
      await this.imports.store(ready.map(({ unit }) => unit));
      await forgetEntries(
        this.redis,
        ready.map(({ entry }) => entry),
      );
    }
  }

  private async storeTakenSchedule(entry: JournalSchedule): Promise<void> {
    await this.setSchedule(entry);
    await forgetEntries(this.redis, [entry]);
  }

  /** Does the same the second time. */
  private async setSchedule({ schedule }: JournalSchedule): Promise<void> {
    const { name, jobName, queue, payload, ...options } = schedule;
    await this.queue.recurring.set(
      name,
      makeJobDefinition(jobName, { queue }),
      JSON.parse(payload) as unknown,
      options,
    );
  }
}

const MOST_RECOVERED = 100;
