import { readFile } from 'node:fs/promises';

import { expect, test } from '@jest/globals';
import * as dashboard from '@tablequeue/dashboard';
import * as nestjs from '@tablequeue/nestjs';
import * as typeorm from '@tablequeue/typeorm';
import * as testing from '@tablequeue/typeorm/testing';

const text = await readFile(new URL('../../docs/reference/errors.md', import.meta.url), 'utf8');

test('docs/reference/errors.md lists exactly the exported errors', () => {
  const exported = [typeorm, testing, nestjs, dashboard].flatMap((module) => Object.values(module) as unknown[]);
  const classes = exported.filter(
    (each): each is typeof typeorm.TableQueueError =>
      typeof each === 'function' && each.prototype instanceof typeorm.TableQueueError,
  );
  const named = new Set([...text.matchAll(/`([A-Z]\w+Error)`/g)].map(([, name]) => name));
  expect(named).toEqual(new Set(['TableQueueError', ...classes.map(({ name }) => name)]));
});
