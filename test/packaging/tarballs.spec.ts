import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { publint } from 'publint';

import { typesThatAreWrong } from './are-the-types-wrong.js';
import { type PackedPackage, ROOT, packAll, publishedFolders } from './published-packages.js';

const folders = await publishedFolders();
let destination: string;
let packed: readonly PackedPackage[];

beforeAll(async () => {
  destination = await mkdtemp(join(tmpdir(), 'tablequeue-tarballs-'));
  packed = await packAll(destination);
});
afterAll(() => rm(destination, { recursive: true, force: true }));

describe.each(folders.map((folder) => folder.slice(ROOT.length)))('the tarball of %s', (name) => {
  const ours = (): PackedPackage => packed.find(({ folder }) => folder === join(ROOT, name)) as PackedPackage;
  const read = (file: string) => readFile(join(ROOT, name, file), 'utf8');

  test('has nothing but what was built, its source, and what npm shows', () => {
    const isWanted = (file: string) =>
      /^dist\/.*\.(js|d\.ts(\.map)?)$/.test(file) ||
      (/^src\/.*\.ts$/.test(file) && !file.endsWith('.spec.ts')) ||
      file.startsWith('bin/') ||
      /^schematics\/[\w.-]+\.json$/.test(file) ||
      file === 'folder.cjs' ||
      isPage(file);
    const shown = ['LICENSE', 'README.md', ...(name.endsWith('typeorm') ? ['SKILL.md'] : []), 'package.json'];
    expect(ours().files.filter((file) => !isWanted(file))).toEqual(shown);
  });

  test('has the source of every built file, and no build output of deleted sources', () => {
    const built = (folder: string, end: string) =>
      ours().files.flatMap((file) =>
        file.startsWith(folder) && !isPage(file) && file.endsWith(end) ? file.slice(folder.length, -end.length) : [],
      );
    const sources = ours().files.flatMap((file) => (/^src\/.*\.ts$/.test(file) ? file.slice(4, -3) : []));
    // If it has more than that, an older build has left it: remove the folder `dist`.
    expect(built('dist/', '.js')).toEqual(sources);
    const types = built('dist/types/', '.d.ts');
    expect(types.filter((file) => !sources.includes(file))).toEqual([]);
    expect(built('dist/types/', '.d.ts.map')).toEqual(types);
  });

  test('has the license, and a README of its own whose links lead somewhere', async () => {
    expect(await read('LICENSE')).toBe(await readFile(join(ROOT, 'LICENSE'), 'utf8'));
    const readme = await read('README.md');
    expect(readme).toContain(`# ${ours().manifest.name}\n`);
    expect(readme).toMatch(new RegExp(`^(npm install|npx) (.+ )?${ours().manifest.name}( |$)`, 'm'));
    // On npm's page a link into the repository would lead nowhere.
    expect(readme.match(/\]\((?!https?:|#)[^)]*\)/g) ?? []).toEqual([]);
  });

  test('names its license, its place in the repository, and words to find it by', () => {
    const { license, repository, homepage, bugs, keywords, publishConfig } = ours().manifest;
    expect({ license, repository, publishConfig }).toEqual({
      license: 'MIT',
      repository: { type: 'git', url: 'git+https://github.com/tablequeue/tablequeue.git', directory: name },
      publishConfig: { access: 'public', provenance: true },
    });
    expect([homepage, bugs]).toEqual([expect.stringMatching(/^https:/), expect.stringMatching(/^https:/)]);
    expect(keywords).toEqual(expect.arrayContaining(['mysql', 'mariadb', 'sqlite', 'queue']));
  });

  test('names its programs as npm keeps them', () => {
    // `npm publish` removes a program whose path begins with a dot, and only warns.
    const { bin = {} } = ours().manifest;
    expect(Object.values(bin).filter((path) => !path.startsWith('bin/'))).toEqual([]);
  });

  test('runs nothing when it is installed', () => {
    const names = Object.keys(ours().manifest.scripts ?? {});
    expect(names.filter((script) => /install|prepare/.test(script))).toEqual([]);
  });

  test('names every package it imports', async () => {
    const { manifest, files } = ours();
    const named = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, [manifest.name]: '' });
    const imported = new Set<string>();
    for (const file of files.filter((each) => /^dist\/.*(\.js|\.d\.ts)$/.test(each) && !isPage(each))) {
      packagesIn(await read(file)).forEach((each) => imported.add(each));
    }
    expect([...imported].filter((each) => !named.includes(each))).toEqual([]);
  });

  test('has no internal types', async () => {
    const types = ours().files.filter((each) => /^dist\/types\/.*\.d\.ts$/.test(each));
    const texts = await Promise.all(types.map(async (file) => [file, await read(file)] as const));
    expect(texts.flatMap(([file, text]) => (text.includes('@internal') ? file : []))).toEqual([]);
  });

  test('passes publint', async () => {
    const tarball = Uint8Array.from(await readFile(ours().tarball)).buffer;
    const { messages } = await publint({ pack: { tarball }, level: 'suggestion', strict: true });
    expect(messages).toEqual([]);
  });

  test('has types that are not wrong', async () => {
    // A package without exports is a program: it has no types.
    expect(ours().manifest.exports ? await typesThatAreWrong(ours().tarball) : '').toBe('');
  });

  test('is not large', () => {
    expect(ours().size).toBeLessThan(1_100_000);
  });
});

/** Whether it is of the dashboard's pages, which a bundler has made: all they need is in them. */
function isPage(file: string): boolean {
  return /^dist\/pages\/(assets\/[\w-]+\.(js|css)|index\.html|licenses\.md|[\w-]+\.(js|svg))$/.test(file);
}

/** The packages that JavaScript or a declaration imports, without those of Node. */
function packagesIn(code: string): string[] {
  const withoutComments = code.replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '');
  const specifiers = [...withoutComments.matchAll(/(?:\bfrom|\bimport\s*\(?)\s*['"]([@\w./:-]+)['"]/g)].map(
    ([, specifier = '']) => specifier,
  );
  return specifiers
    .filter((specifier) => !/^(\.|node:)/.test(specifier) && !builtinModules.includes(specifier))
    .map((specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
}
