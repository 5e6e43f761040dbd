/* Imported before the code of a process: makes it a later release, with a second version of the tables. */
import { register } from 'node:module';

import type { PlantedFault } from '../verify/planted/plants.js';

const ADD_COLUMN = "sql`ALTER TABLE ${table('job')} ADD COLUMN planted INTEGER NOT NULL DEFAULT 0`";
const ADD_TABLE = "sql`CREATE TABLE IF NOT EXISTS ${table('planted')} (id INTEGER NOT NULL PRIMARY KEY)`";
const STEPS = `{ up: ({ table }) => [${ADD_COLUMN}, ${ADD_TABLE}], down: () => [] }`;
const VERSION_2 = `{ tables: ['planted'], columns: ['job.planted'], mysql: ${STEPS}, sqlite: ${STEPS} }`;

const fault: PlantedFault = {
  file: 'migrations/versions.js',
  is: 'export const VERSIONS = [version1];',
  becomes: `import { sql } from '../engine/sql.js'; export const VERSIONS = [version1, ${VERSION_2}];`,
  // Its completions need the new column.
  also: {
    file: 'store/base/locks/fence.js',
    is: "`state = 'running' AND (",
    becomes: "`planted = 0 AND state = 'running' AND (",
  },
};
register(new URL('../verify/planted/plant-hooks.js', import.meta.url), { data: [fault] });
