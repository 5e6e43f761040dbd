/*
 * Copies the type declarations that the entry points of a package need from `dist/all-types` to `dist/types`, which is
 * published. The others, more than half of them, describe modules that no importer can reach. Run it after `tsc`, in
 * the folder of the package, or with the folders of packages as arguments.
 */
import { cp, readFile, rm } from 'node:fs/promises';
import { dirname, join, normalize, relative } from 'node:path';

const ALL = join('dist', 'all-types');
const PUBLISHED = join('dist', 'types');

/** Returns the declarations that some of them import, with these. Paths within `ALL`. */
async function reachableFrom(folder, files) {
  const found = new Set(files);
  // Also of those that are added while it goes on.
  for (const file of found) {
    const text = await readFile(join(folder, ALL, file), 'utf8');
    for (const [, path] of text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g)) {
      found.add(join(dirname(file), `${path}.d.ts`));
    }
  }
  return found;
}

const [, , ...given] = process.argv;
for (const folder of given.length > 0 ? given : ['.']) {
  const { exports = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const entryPoints = Object.values(exports).flatMap(({ types }) => types ?? []);
  const files = entryPoints.map((path) => relative(PUBLISHED, normalize(path)));
  await rm(join(folder, PUBLISHED), { recursive: true, force: true });
  for (const file of await reachableFrom(folder, files)) {
    for (const path of [file, `${file}.map`]) {
      await cp(join(folder, ALL, path), join(folder, PUBLISHED, path));
    }
  }
}
