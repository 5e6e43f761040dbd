/* Imported before the code of a process: plants the fault that the URL of this module names. */
import { register } from 'node:module';

import { PLANTED_FAULTS, type PlantedFaultName } from './plants.js';

const name = new URL(import.meta.url).searchParams.get('name') as PlantedFaultName;
register(new URL('./plant-hooks.js', import.meta.url), { data: PLANTED_FAULTS[name] });
