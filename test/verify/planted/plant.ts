/* Imported before the code of a process: plants the faults that the URL of this module names. */
import { register } from 'node:module';

import { PLANTED_FAULTS, type PlantedFaultName } from './plants.js';

const names = new URL(import.meta.url).searchParams.getAll('name') as PlantedFaultName[];
register(new URL('./plant-hooks.js', import.meta.url), { data: names.map((name) => PLANTED_FAULTS[name]) });
