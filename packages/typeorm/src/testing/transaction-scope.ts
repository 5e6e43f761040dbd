import { AsyncLocalStorage } from 'node:async_hooks';

import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

import { oncePerDataSource } from '../queue/once-per-data-source.js';

/**
 * Makes a data source use a test's transaction: in the asynchronous context of some work it returns the query runner of
 * that transaction. See docs/decisions/0087.
 *
 * Handlers use injected repositories and data sources. Without this they would not see the uncommitted rows of the
 * test, and a rollback would not undo their writes.
 */
export class TransactionScope {
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

/** Keeps a query runner from being released by code that believes it owns it. */
function keepUnreleased(queryRunner: QueryRunner): () => void {
  return replace(queryRunner, { release: { value: () => Promise.resolve() } });
}

type Replacements<Target> = {
  readonly [Property in keyof Target]?: { readonly value: Target[Property] } | { readonly get: () => Target[Property] };
};

/** Replaces own properties of an object. Returns a function that restores them. */
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

/** Returns a function that reads a property as it is now: typeorm-transactional makes it a getter. */
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
