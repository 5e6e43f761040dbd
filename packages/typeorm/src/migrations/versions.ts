import type { SchemaVersion } from './schema-version.js';
import { version1 } from './v1/version-1.js';

/**
 * All versions of the tables, oldest first. A released version never changes. Until the first release, version 1 is
 * edited in place: `npm run schema` updates its picture.
 */
export const VERSIONS: readonly SchemaVersion[] = [version1];
