import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

async function filesIn(...patterns: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '--', ...patterns], { cwd: ROOT });
  return stdout.trim().split('\n');
}

/** Without the reports of API Extractor. */
const documents = await filesIn('*.md', ':!*.api.md');
/** Made by `npm run docs:build`, which checks the links to it. */
const GENERATED = 'docs/reference/api/';

/** The text of a document without its code, in which nothing is a link or a heading. */
async function proseOf(document: string): Promise<string> {
  const text = await readFile(join(ROOT, document), 'utf8');
  return text.replaceAll(/^```.*?^```$/gms, '');
}

/** The anchors of a document's headings, as GitHub and VitePress make them of plain ones. */
async function anchorsOf(document: string): Promise<Set<string>> {
  const headings = (await proseOf(document)).matchAll(/^#{1,6} (.+)$/gm);
  const slugs = [...headings].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(slugs);
}

test.each(documents)('the links of %s lead somewhere', async (document) => {
  const prose = (await proseOf(document)).replaceAll(/`[^`\n]*`/g, '');
  const targets = [
    ...[...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target),
    ...[...prose.matchAll(/ (?:src|srcset)="([^"]+)"/g)].map(([, target = '']) => target),
  ].filter((target) => !/^[a-z]+:/.test(target));
  expect(await deadOf(targets, document)).toEqual([]);
});

test('the links in errors lead to pages and headings that exist', async () => {
  const sources = await filesIn('packages/*/src/**.ts');
  const texts = await Promise.all(sources.map((file) => readFile(join(ROOT, file), 'utf8')));
  const pages = texts.flatMap((text) => [...text.matchAll(/\bseeDocs\('([^']+)'\)/g)].map(([, page = '']) => page));
  expect(pages.length).toBeGreaterThan(0);
  expect(await deadOf(pages, 'docs/index.md')).toEqual([]);
});

/** The links of a document that lead nowhere. */
async function deadOf(targets: readonly string[], document: string): Promise<string[]> {
  const dead: string[] = [];
  for (const target of targets) {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? document : posix.join(dirname(document), path);
    const isDead =
      !file.startsWith(GENERATED) &&
      (!existsSync(join(ROOT, file)) || (anchor !== undefined && !(await anchorsOf(file)).has(anchor)));
    if (isDead) {
      dead.push(target);
    }
  }
  return dead;
}
