import { readFileSync } from 'node:fs';

const FILE = new URL('../../packages/typeorm/package.json', import.meta.url);

/** The version of the packages: all have the same. */
export const VERSION = (JSON.parse(readFileSync(FILE, 'utf8')) as { readonly version: string }).version;
