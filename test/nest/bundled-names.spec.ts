import 'reflect-metadata';

import { afterEach, expect, test } from '@jest/globals';
import * as dashboard from '@tablequeue/dashboard';
import * as nestjs from '@tablequeue/nestjs';
import * as typeorm from '@tablequeue/typeorm';
import * as testing from '@tablequeue/typeorm/testing';

type Class = abstract new (...args: never[]) => object;

const { TableQueueError } = typeorm;
const renamed = new Map<Class, string>();

/** What a bundler does that makes names short: several classes get the same name. */
function rename(target: Class): void {
  renamed.set(target, target.name);
  Object.defineProperty(target, 'name', { value: 'a', configurable: true });
}

afterEach(() => {
  renamed.forEach((value, target) => Object.defineProperty(target, 'name', { value, configurable: true }));
  renamed.clear();
});

const errors = Object.entries<unknown>({ ...typeorm, ...testing, ...nestjs, ...dashboard }).filter(
  (entry): entry is [string, Class] => typeof entry[1] === 'function' && entry[1].prototype instanceof TableQueueError,
);

test.each(errors)('%s has its name in error texts, although a bundler has renamed the class', (name, errorClass) => {
  rename(errorClass);
  const error = Reflect.construct(TableQueueError as never, ['what happened'], errorClass) as Error;
  expect(error.name).toBe(name);
});

test('an error class of the application has its own name', () => {
  class NoSuchCustomer extends typeorm.UnrecoverableJobError {}
  expect(new NoSuchCustomer('gone').name).toBe('NoSuchCustomer');
});

test('tokens of named data sources differ, although a bundler has renamed the classes', () => {
  const services = {
    TableQueue: typeorm.TableQueue,
    QueueEvents: nestjs.QueueEvents,
    QueueReaper: nestjs.QueueReaper,
    QueueRetrier: nestjs.QueueRetrier,
    QueuePruner: nestjs.QueuePruner,
    QueueScheduler: nestjs.QueueScheduler,
  };
  for (const [name, service] of Object.entries<Class>(services)) {
    rename(service);
    expect(nestjs.getTableQueueToken('reports', service as never)).toBe(`reports${name}`);
  }
});
