import { EntityError } from '@tablequeue/typeorm';

import { autoLoadEntities } from './auto-loaded.entities.js';
import { describeDataSource } from './data-source.name.js';
import type { ResolvedModuleExtras } from './table-queue.extras.js';

/** The applications whose data source is not there yet. */
const starting = new Set<StartingApplication>();

/**
 * The entities of the queue in an application that starts. If the data source refuses them, TypeOrmModule retries for
 * 27 s by default, although no retry can succeed. A start that awaits `accepted` fails at once.
 */
export class StartingApplication {
  /** Resolves when the data source is there, and rejects when it has refused the entities. */
  readonly accepted: Promise<void>;
  private settle!: (error?: unknown) => void;
  /** Then it is the other application that is refused, also each time it retries. */
  private wereReadByOther = false;

  constructor(private readonly extras: ResolvedModuleExtras) {
    this.accepted = new Promise((resolve, reject) => {
      this.settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    // The refusal may come before Nest awaits this.
    this.accepted.catch(() => undefined);
    starting.add(this);
    autoLoadEntities(extras, (error, type) => this.refuse(error, type));
  }

  accept(): void {
    this.end();
  }

  private refuse(error: unknown, type: string): void {
    const { dataSource, databaseType } = this.extras;
    const others = [...starting].filter((each) => each !== this && each.extras.dataSource === dataSource);
    const other = others.find(({ extras }) => isSqlite(extras.databaseType) === isSqlite(type));
    if (other) {
      // Its data source has read the entities of this application, which has set them last.
      this.wereReadByOther = true;
      other.end(
        new EntityError(
          `Two applications of this process start at the same time, and both have ${describeDataSource(dataSource)}. ` +
            `Here it is "${type}", and in the other application "${databaseType}". Start them one after the other, ` +
            'or give their data sources different names.',
        ),
      );
    } else if (!this.wereReadByOther) {
      this.end(error);
    }
  }

  private end(error?: unknown): void {
    starting.delete(this);
    this.settle(error);
  }
}

function isSqlite(type: string): boolean {
  return type === 'better-sqlite3';
}
