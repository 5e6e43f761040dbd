import { createRequire } from 'node:module';

/** That of this package. */
export const VERSION = (createRequire(import.meta.url)('../package.json') as { readonly version: string }).version;
