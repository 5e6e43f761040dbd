import type { Codec } from './codec.js';

/** The codecs of all definitions in this process, by id. They decode what no definition is known for. */
const codecs = new Map<string, Codec>();

export function addDefinedCodecs(added: readonly Codec[]): void {
  added.forEach((codec) => codecs.set(codec.id, codec));
}

export function definedCodec(id: string): Codec | undefined {
  return codecs.get(id);
}
