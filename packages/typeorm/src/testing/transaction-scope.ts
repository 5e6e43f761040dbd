import { AsyncLocalStorage } from 'node:async_hooks';

import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

import { oncePerDataSource } from '../queue/once-per-data-source.js';

/**
 * Lets code use a data source as it always does, and be in a test's transaction all the same: while some work runs, and in
 * its asynchronous context alone, the data source hands out the one query runner of that transaction.
 *
 * Handlers get at the database by what was injected into them, repositories and the data source; without this they would
 * not see what the test has not committed, and what they write would outlive its rollback.
 */
export class TransactionScope {
  /** The one of a data source. */
  static readonly of = oncePerDataSource((dataSource) => new TransactionScope(dataSource));

  private readonly context = new AsyncLocalStorage<QueryRunner>();
  private uses = 0;
  private remove: (() => void) | undefined;

  private constructor(private readonly dataSource: DataSource) {}

  /** Runs work in the transaction that is open on a query runner. */
  async run<T>(queryRunner: QueryRunner, work: () => Promise<T>): Promise<T> {
    if (this.uses++ === 0) {
      this.remove = this.install();
    }
    const release = keepUnreleased(queryRunner);
    try {
      return await this.context.run(queryRunner, work);
    } finally {
      release();
      if (--this.uses === 0) {
        this.remove?.();
      }
    }
  }

  private install(): () => void {
    const { dataSource, context } = this;
    const create = dataSource.createQueryRunner.bind(dataSource);
    const managerOf = readerOf(dataSource, 'manager');
    return replace(dataSource, {
      createQueryRunner: { value: (mode) => context.getStore() ?? create(mode) },
      manager: { get: (): EntityManager => context.getStore()?.manager ?? managerOf() },
    });
  }
}

/** What uses a query runner as its own releases it in the end. */
function keepUnreleased(queryRunner: QueryRunner): () => void {
  return replace(queryRunner, { release: { value: () => Promise.resolve() } });
}

type Replacements<Target> = {
  readonly [Property in keyof Target]?: { readonly value: Target[Property] } | { readonly get: () => Target[Property] };
};

/** Replaces own properties of an object. Returns what puts back those that were there. */
function replace<Target extends object>(target: Target, replacements: Replacements<Target>): () => void {
  const before = Object.keys(replacements).map(
    (name) => [name, Object.getOwnPropertyDescriptor(target, name)] as const,
  );
  for (const [name, replacement] of Object.entries(replacements)) {
    Object.defineProperty(target, name, { ...(replacement as PropertyDescriptor), configurable: true });
  }
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor) {
        Object.defineProperty(target, name, descriptor);
      } else {
        Reflect.deleteProperty(target, name);
      }
    }
  };
}

/** Reads a property as it is now, whatever replaces it: typeorm-transactional has made a getter of it. */
function readerOf<Target extends object, Property extends keyof Target>(
  target: Target,
  property: Property,
): () => Target[Property] {
  const descriptor = Object.getOwnPropertyDescriptor(target, property);
  if (descriptor?.get) {
    return descriptor.get.bind(target) as () => Target[Property];
  }
  const value = target[property];
  return () => value;
}
