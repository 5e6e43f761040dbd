/* Hooks of Node's module loader, on a thread of their own: change one file of the queue when it is loaded. */
import type { InitializeHook, LoadHook } from 'node:module';

import type { Plant } from './plants.js';

let plant: Plant;

export const initialize: InitializeHook<Plant> = (data) => {
  plant = data;
};

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const change = [plant, plant.also].find((each) => each && url.endsWith(`/packages/typeorm/dist/${each.file}`));
  if (!change) {
    return loaded;
  }
  const source = Buffer.from(loaded.source as Uint8Array).toString('utf8');
  const parts = source.split(change.is);
  if (parts.length !== 2) {
    // The file has changed: what is not planted cannot be found.
    throw new Error(`${change.file} has ${parts.length - 1} places to plant the fault in, not one.`);
  }
  return { ...loaded, source: parts.join(change.becomes) };
};
