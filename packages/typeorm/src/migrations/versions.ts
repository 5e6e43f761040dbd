import type { SchemaVersion } from './schema-version.js';
import { version1 } from './v1/version-1.js';

/** All versions of the tables, oldest first. A released version never changes. */
export const VERSIONS: readonly SchemaVersion[] = [version1];
