import type { SchemaVersion } from './schema-version.js';
import { version1 } from './v1/version-1.js';

/** Every version of the tables, oldest first. A version that was released never changes again. */
export const VERSIONS: readonly SchemaVersion[] = [version1];
