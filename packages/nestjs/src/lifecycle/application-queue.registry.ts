import { Inject, Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { EntityError, TableQueueJob } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import type { NestModule } from './provider.dependencies.js';
import { DuplicateModuleError, MissingDataSourceError, MissingModuleError } from '../errors/index.js';
import { logMissingQueues } from './missing-queue.hints.js';
import { describeDataSource } from '../options/data-source.name.js';
import { type ResolvedModuleExtras } from '../options/table-queue.extras.js';
import { MODULE_EXTRAS } from '../table-queue.constants.js';
import { dataSourceOfToken } from '../table-queue.tokens.js';

/** The modules of an application that have a queue, and what was given to them. */
export function queueModules(
  modules: ModulesContainer,
): { readonly module: NestModule; readonly extras: ResolvedModuleExtras }[] {
  return [...modules.values()].flatMap((module) => {
    const extras = module.providers.get(MODULE_EXTRAS)?.instance as ResolvedModuleExtras | undefined;
    return extras ? [{ module, extras }] : [];
  });
}

/** The queues of the application: one for each `TableQueueModule`, identified by the name of its data source. */
@Injectable()
export class ApplicationQueues {
  readonly dataSources: readonly string[];

  /** @throws DuplicateModuleError */
  constructor(
    @Inject(MODULE_EXTRAS) private readonly own: ResolvedModuleExtras,
    private readonly modules: ModulesContainer,
  ) {
    const all = queueModules(modules).map(({ extras }) => extras);
    this.dataSources = all.map(({ dataSource }) => dataSource);
    // One of the modules logs it for all.
    if (all[0] === own) {
      logMissingQueues(modules, this.dataSources);
    }
    const same = all.filter(({ dataSource }) => dataSource === own.dataSource);
    if (same.length > 1) {
      throw new DuplicateModuleError(own.dataSource, [...new Set(same.map(({ prefix }) => prefix))]);
    }
  }

  /**
   * The module's data source.
   *
   * @param found what Nest has found by its token.
   * @throws MissingDataSourceError; EntityError for entities with another prefix.
   */
  require(found: DataSource | undefined): DataSource {
    if (!found) {
      const tokens = [...this.modules.values()].flatMap(({ providers }) => [...providers.keys()]);
      const names = tokens.map((token) => dataSourceOfToken(token, [DataSource])).filter((name) => name !== undefined);
      throw new MissingDataSourceError(this.own.dataSource, [...new Set(names)]);
    }
    this.assertPrefix(found);
    return found;
  }

  /** The queue would work on the tables of the entities, whatever prefix the module has. */
  private assertPrefix(found: DataSource): void {
    // `TableQueue` reports that entities are missing.
    if (!found.hasMetadata(TableQueueJob)) {
      return;
    }
    const { prefix } = this.own;
    const other = found.getMetadata(TableQueueJob).givenTableName?.slice(0, -'job'.length);
    if (other !== prefix) {
      throw new EntityError(
        `TableQueueModule has the prefix "${prefix}", but the queue's entities in ` +
          `${describeDataSource(this.own.dataSource)} have "${other}". Pass the same prefix to TableQueueModule ` +
          'and to tableQueueEntities. If two applications of this process start at the same time, give their data ' +
          'sources different names, or start one after the other.',
      );
    }
  }

  /**
   * Whether a handler or a listener is one of this module's queue.
   *
   * @param dataSource the name that its decorator gives.
   * @param who names it in a sentence.
   * @throws MissingModuleError when that is the data source of no queue of the application.
   */
  has(dataSource: string, who: string): boolean {
    if (!this.dataSources.includes(dataSource)) {
      throw new MissingModuleError(who, dataSource, this.dataSources);
    }
    return dataSource === this.own.dataSource;
  }
}
