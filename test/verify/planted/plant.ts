/* Run before a process of the bench: plants the fault that this module's URL names. */
import { register } from 'node:module';

import { PLANTS, type PlantName } from './plants.js';

const name = new URL(import.meta.url).searchParams.get('name') as PlantName;
register(new URL('./plant-hooks.js', import.meta.url), { data: PLANTS[name] });
