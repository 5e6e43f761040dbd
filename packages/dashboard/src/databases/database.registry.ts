import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { TableQueue } from '@tablequeue/typeorm';

import { RESOLVED_OPTIONS } from '../dashboard.constants.js';
import { UnknownDatabaseError } from '../errors.js';
import type { ResolvedOptions } from '../options/dashboard.options.js';
import { BulkDriver } from './bulk.driver.js';
import { OverviewReader } from './overview.reader.js';
import { ReadCache } from './read.cache.js';

/** A database that the dashboard shows. */
export interface Database {
  /** The name of its data source. */
  readonly name: string;
  readonly queue: TableQueue;
  readonly overview: OverviewReader;
  /** For everything except the overview. */
  readonly reads: ReadCache;
  readonly bulk: BulkDriver;
}

const DEFAULT = 'default';

/** The databases that the dashboard shows, by the names of their data sources. */
@Injectable()
export class DatabaseRegistry implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly databases = new Map<string, Database>();

  constructor(
    private readonly modules: ModulesContainer,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedOptions,
  ) {}

  /** @throws UnknownDatabaseError if a data source has no queue, or the application has none. */
  onModuleInit(): void {
    const available = findQueues(this.modules);
    const wanted = this.options.dataSources ?? [...available.keys()];
    if (wanted.length === 0) {
      throw new UnknownDatabaseError(undefined, []);
    }
    for (const name of wanted) {
      const queue = available.get(name);
      if (!queue) {
        throw new UnknownDatabaseError(name, [...available.keys()]);
      }
      const readers = { overview: OverviewReader.of(queue), reads: ReadCache.of(queue) };
      this.databases.set(name, { name, queue, ...readers, bulk: new BulkDriver(queue) });
    }
  }

  onApplicationBootstrap(): void {
    this.databases.forEach(({ bulk }) => void bulk.resume());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.databases.values()].map(({ bulk }) => bulk.close()));
  }

  /** In the order of `dataSources`. Without that option, the default data source is first. */
  get names(): readonly string[] {
    return [...this.databases.keys()];
  }

  /** @param name the name of the data source. Default: the first one. */
  find(name = this.names[0] ?? DEFAULT): Database | undefined {
    return this.databases.get(name);
  }
}

/** Finds the queues of the application. Their injection tokens contain the names of the data sources. */
function findQueues(modules: ModulesContainer): ReadonlyMap<string, TableQueue> {
  const found = new Map<string, TableQueue>();
  for (const { providers } of modules.values()) {
    for (const [token, { instance }] of providers) {
      if (instance instanceof TableQueue && (token === TableQueue || typeof token === 'string')) {
        const name = token === TableQueue ? DEFAULT : String(token).replace(/TableQueue$/, '');
        found.set(name, instance);
      }
    }
  }
  return new Map([...found].toSorted(([one], [other]) => Number(other === DEFAULT) - Number(one === DEFAULT)));
}
