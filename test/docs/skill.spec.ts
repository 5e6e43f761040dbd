import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, jest, test } from '@jest/globals';
import * as nestjs from '@tablequeue/nestjs';
import * as nestjsTesting from '@tablequeue/nestjs/testing';
import * as typeorm from '@tablequeue/typeorm';

import { compileExamples, findExamples } from './examples.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = 'skill';
const SKILL = 'packages/typeorm/SKILL.md';

jest.setTimeout(90_000);

const text = await readFile(join(ROOT, SKILL), 'utf8');
/** Pieces of code outside of the examples. */
const spans = [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

test('the examples and the calls that SKILL.md names compile', async () => {
  const calls = new Set(spans.flatMap((code) => /^(queue|job)(\.\w+)+/.exec(code)?.[0] ?? []));
  expect(calls.size).toBeGreaterThan(0);
  const code = [
    "import type { DurableJobContext, TableQueue } from '@tablequeue/typeorm';",
    'declare const queue: TableQueue;',
    'declare const job: DurableJobContext;',
    `export const calls: unknown[] = [${[...calls].join(', ')}];`,
  ].join('\n');
  const file = join(ROOT, 'test/dist', FOLDER, 'out/calls.js');
  await compileExamples(FOLDER, [...(await findExamples(FOLDER, [SKILL])), { code, file }]);
});

test('the functions, classes and decorators that SKILL.md names exist', () => {
  const exported = new Set([typeorm, nestjs, nestjsTesting].flatMap((module) => Object.keys(module)));
  const named = spans.flatMap((code) => /^(?:throw new )?(@?[a-zA-Z]+)\b/.exec(code)?.[1] ?? []);
  const ours = named.filter((name) => /^@|^[A-Z]\w+[a-z]$|^(define|up|down|testing|with|event)[A-Z]/.test(name));
  const known = ours.map((name) => name.replace('@', '')).filter((name) => !OTHERS.has(name));
  expect(known.length).toBeGreaterThan(0);
  expect(known.filter((name) => !exported.has(name))).toEqual([]);
});

/** Names of JavaScript and of other packages, and beginnings of package names. */
const OTHERS = new Set(['tablequeue', 'ScheduleModule', 'Date', 'Map', 'Buffer', 'BigInt']);

test('SKILL.md stays short', () => {
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});
