/* Hooks of Node's module loader, which run on their own thread. They change files of the queue as they are loaded. */
import type { InitializeHook, LoadHook } from 'node:module';

import type { PlantedFault } from './plants.js';

let fault: PlantedFault;

export const initialize: InitializeHook<PlantedFault> = (data) => {
  fault = data;
};

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const change = [fault, fault.also].find((each) => each && url.endsWith(`/packages/typeorm/dist/${each.file}`));
  if (!change) {
    return loaded;
  }
  const source = Buffer.from(loaded.source as Uint8Array).toString('utf8');
  const parts = source.split(change.is);
  if (parts.length !== 2) {
    // The file has changed, so the fault cannot be planted.
    throw new Error(`${change.file} contains the original text ${parts.length - 1} times, not once.`);
  }
  return { ...loaded, source: parts.join(change.becomes) };
};
