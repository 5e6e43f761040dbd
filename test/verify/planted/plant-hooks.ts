/* Hooks of Node's module loader, which run on their own thread. They change files of the queue as they are loaded. */
import type { InitializeHook, LoadHook } from 'node:module';

import type { PlantedFault } from './plants.js';

let changes: readonly PlantedFault[];

export const initialize: InitializeHook<readonly PlantedFault[]> = (faults) => {
  changes = faults.flatMap((fault) => [fault, ...(fault.also ? [fault.also] : [])]);
};

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const wanted = changes.filter(({ file }) => url.endsWith(`/packages/typeorm/dist/${file}`));
  if (wanted.length === 0) {
    return loaded;
  }
  const source = Buffer.from(loaded.source as Uint8Array).toString('utf8');
  return { ...loaded, source: wanted.reduce(plant, source) };
};

function plant(source: string, { file, is, becomes }: PlantedFault): string {
  const parts = source.split(is);
  if (parts.length !== 2) {
    // The file has changed, so the fault cannot be planted.
    throw new Error(`${file} contains the original text ${parts.length - 1} times, not once.`);
  }
  return parts.join(becomes);
}
