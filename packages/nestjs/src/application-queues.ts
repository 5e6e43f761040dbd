import { Inject, Injectable, type InjectionToken, type Type } from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { getDataSourceToken } from '@nestjs/typeorm';
import { TableQueue } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { DuplicateModuleError, MissingDataSourceError, MissingModuleError } from './errors/index.js';
import { dependenciesOf } from './dependencies-of.js';
import { QUEUE_SERVICES } from './queue.services.js';
import { type ResolvedModuleExtras } from './table-queue-extras.js';
import { MODULE_EXTRAS } from './table-queue.constants.js';
import { dataSourceOfToken } from './table-queue.tokens.js';

type NestModule = Parameters<Parameters<ModulesContainer['forEach']>[0]>[0];

const INJECTABLE: readonly Type[] = [TableQueue, ...(QUEUE_SERVICES as readonly unknown[] as Type[])];

/**
 * The queues of the application, one for each `TableQueueModule`; they are told apart by the name of their data source.
 *
 * What an application lacks is said here and not by Nest, which knows the token alone. For that this is made before Nest
 * misses anything: it needs nothing but what its own module has from the beginning, while Nest says that a provider is
 * missing when it has looked through all modules. Were that to change, Nest's own message would come instead.
 */
@Injectable()
export class ApplicationQueues {
  private readonly modules: readonly NestModule[];
  private readonly dataSources: readonly string[];

  /** @throws DuplicateModuleError, MissingDataSourceError, MissingModuleError */
  constructor(
    @Inject(MODULE_EXTRAS) private readonly own: ResolvedModuleExtras,
    moduleRef: ModuleRef,
  ) {
    this.modules = [...moduleRef.get(ModulesContainer, { strict: false }).values()];
    const all = this.modules
      .map(({ providers }) => providers.get(MODULE_EXTRAS)?.instance as ResolvedModuleExtras | undefined)
      .filter((extras) => extras !== undefined);
    this.dataSources = all.map(({ dataSource }) => dataSource);
    this.assertAlone(all);
    this.assertDataSource();
    this.assertInjectable();
  }

  /**
   * Whether a handler is one of this module's queue.
   *
   * @param dataSource the name that the handler gives.
   * @throws MissingModuleError when it is for no queue of the application.
   */
  has(dataSource: string, place: string): boolean {
    if (!this.dataSources.includes(dataSource)) {
      throw new MissingModuleError(`The queue handler ${place}`, dataSource, this.dataSources);
    }
    return dataSource === this.own.dataSource;
  }

  private assertAlone(all: readonly ResolvedModuleExtras[]): void {
    const same = all.filter(({ dataSource }) => dataSource === this.own.dataSource);
    if (same.length > 1) {
      throw new DuplicateModuleError(this.own.dataSource, [...new Set(same.map(({ prefix }) => prefix))]);
    }
  }

  private assertDataSource(): void {
    if (!this.isProvided(getDataSourceToken(this.own.dataSource))) {
      const tokens = this.modules.flatMap(({ providers }) => [...providers.keys()]);
      const names = tokens.map((token) => dataSourceOfToken(token, [DataSource])).filter((name) => name !== undefined);
      throw new MissingDataSourceError(this.own.dataSource, [...new Set(names)]);
    }
  }

  private isProvided(token: unknown): boolean {
    return this.modules.some(({ providers }) => providers.has(token as InjectionToken));
  }

  /** Nobody injects the queue of a data source that has none. */
  private assertInjectable(): void {
    for (const { name, providers, controllers, injectables } of this.modules) {
      for (const wrapper of [...providers.values(), ...controllers.values(), ...injectables.values()]) {
        for (const token of dependenciesOf(wrapper)) {
          const dataSource = dataSourceOfToken(token, INJECTABLE);
          if (dataSource !== undefined && !this.dataSources.includes(dataSource) && !this.isProvided(token)) {
            throw new MissingModuleError(`${wrapper.name} (${name})`, dataSource, this.dataSources);
          }
        }
      }
    }
  }
}
