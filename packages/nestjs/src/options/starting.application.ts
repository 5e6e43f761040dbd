import type { ModulesContainer } from '@nestjs/core';
import { getDataSourceToken } from '@nestjs/typeorm';
import { EntityError } from '@tablequeue/typeorm';

import { autoLoadEntities } from './auto-loaded.entities.js';
import { describeDataSource } from './data-source.name.js';
import type { ResolvedModuleExtras } from './table-queue.extras.js';

/** Where TypeOrmModule keeps the options of a data source. The name has been the same since Nest 5. */
const TYPEORM_OPTIONS = 'TypeOrmModuleOptions';

/** The applications whose data source is not there yet, and those whose start has failed: Nest does not report that. */
const starting = new Set<StartingApplication>();

/**
 * The entities of the queue in an application that starts. If the data source refuses them, TypeOrmModule retries for
 * 27 s by default, although no retry can succeed. A start that awaits `accepted` fails at once.
 */
export class StartingApplication {
  private readonly accepted: Promise<void>;
  private settle!: (error?: unknown) => void;
  private modules: ModulesContainer | undefined;

  constructor(private readonly extras: ResolvedModuleExtras) {
    this.accepted = new Promise((resolve, reject) => {
      this.settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    // The refusal may come before Nest awaits this.
    this.accepted.catch(() => undefined);
    starting.add(this);
    autoLoadEntities(extras, (error, type) => this.refuse(error, type));
  }

  /** Resolves when the data source of these modules is there, and rejects when it has refused the entities. */
  acceptedIn(modules: ModulesContainer): Promise<void> {
    this.modules = modules;
    return this.accepted;
  }

  accept(): void {
    this.end();
  }

  private refuse(error: unknown, type: string): void {
    const { dataSource, databaseType } = this.extras;
    if (!this.fitsDataSource()) {
      this.end(error);
      return;
    }
    // Another data source has read the entities of this application, which has set them last.
    const others = [...starting].filter((each) => each !== this && each.extras.dataSource === dataSource);
    for (const other of others.filter(({ extras }) => isSqlite(extras.databaseType) === isSqlite(type))) {
      other.end(
        new EntityError(
          `Two applications of this process start at the same time, and both have ${describeDataSource(dataSource)}. ` +
            `Here it is "${type}", and in the other application "${databaseType}". Start them one after the other, ` +
            'or give their data sources different names.',
        ),
      );
    }
  }

  /** Whether `databaseType` is that of the application's own data source. */
  private fitsDataSource(): boolean {
    const { dataSource, databaseType } = this.extras;
    const token = getDataSourceToken(dataSource) as string;
    const module = [...(this.modules?.values() ?? [])].find(({ providers }) => providers.has(token));
    const options = module?.providers.get(TYPEORM_OPTIONS)?.instance as { readonly type?: string } | undefined;
    return options?.type !== undefined && isSqlite(options.type) === isSqlite(databaseType);
  }

  private end(error?: unknown): void {
    starting.delete(this);
    this.settle(error);
  }
}

function isSqlite(type: string): boolean {
  return type === 'better-sqlite3';
}
