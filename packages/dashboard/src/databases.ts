import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { TableQueue } from '@tablequeue/typeorm';

import type { ResolvedOptions } from './dashboard-options.js';
import { RESOLVED_OPTIONS } from './dashboard.constants.js';
import { UnknownDatabaseError } from './errors/index.js';
import { OverviewReader } from './live/overview-reader.js';
import { SharedReadings } from './live/shared-readings.js';

/** A database that is shown. */
export interface Database {
  /** That of its data source. */
  readonly name: string;
  readonly queue: TableQueue;
  readonly overview: OverviewReader;
  /** Of everything else. */
  readonly readings: SharedReadings;
}

const DEFAULT = 'default';

/** The databases that are shown, by the names of their data sources. */
@Injectable()
export class Databases implements OnModuleInit {
  private readonly shown = new Map<string, Database>();

  constructor(
    private readonly modules: ModulesContainer,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedOptions,
  ) {}

  /** @throws UnknownDatabaseError */
  onModuleInit(): void {
    const present = queuesOf(this.modules);
    const wanted = this.options.dataSources ?? [...present.keys()];
    if (wanted.length === 0) {
      throw new UnknownDatabaseError(undefined, []);
    }
    for (const name of wanted) {
      const queue = present.get(name);
      if (!queue) {
        throw new UnknownDatabaseError(name, [...present.keys()]);
      }
      this.shown.set(name, { name, queue, overview: OverviewReader.of(queue), readings: SharedReadings.of(queue) });
    }
  }

  /** The default one first, unless the options say otherwise. */
  get names(): readonly string[] {
    return [...this.shown.keys()];
  }

  /** @param name that of its data source. Default: the first one's. */
  find(name = this.names[0] ?? DEFAULT): Database | undefined {
    return this.shown.get(name);
  }
}

/** The queues that the application provides, by the tokens that tell their data sources; the default one first. */
function queuesOf(modules: ModulesContainer): ReadonlyMap<string, TableQueue> {
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
