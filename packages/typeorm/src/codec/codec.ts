import { InvalidOptionError } from '../errors/index.js';

/** What a codec gets: see `Codec.encode`. Cursors are `'step'`. */
export type EncodedKind = 'payload' | 'result' | 'progress' | 'step' | 'signal' | 'error' | 'log';

/**
 * Encodes values before they are stored, and decodes them: for encryption, compression or an object store. Both
 * functions may return a promise. Give their network calls a timeout, since jobs wait for them.
 */
export interface Codec {
  /**
   * The name of the codec and its key: 1 to 64 of the characters A-Z a-z 0-9 . _ : / -, beginning with a letter or a
   * digit. It is stored with each value. Use it for the same codec and key in all processes, and never for another.
   */
  readonly id: string;
  /**
   * Returns the text to store, or undefined to store the value as it is. What it throws rejects the `enqueue`. Without
   * this function the codec only decodes.
   *
   * @param text JSON text; for an `'error'`, any text. For `'log'` it is a line with its fields.
   */
  encode?(text: string, kind: EncodedKind): string | undefined | PromiseLike<string | undefined>;
  /**
   * Returns the text that `encode` got. If it throws, the job fails without a retry. Throw a `SnoozeJobError` if it may
   * succeed later.
   *
   * @param text what `encode` returned.
   */
  decode(text: string, kind: EncodedKind): string | PromiseLike<string>;
}

/** One codec, or several. The first one with `encode` encodes, all decode. */
export type CodecOption = Codec | readonly Codec[];

/** Without a comma, which ends the id in a stored value. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/;

/** @throws InvalidOptionError for a wrong codec, and for two with the same id. */
export function resolveCodec(option: CodecOption | undefined): readonly Codec[] | undefined {
  if (option === undefined) {
    return undefined;
  }
  const codecs: readonly Codec[] = Array.isArray(option) ? option : [option as Codec];
  codecs.forEach((codec, index) => {
    const path = Array.isArray(option) ? `codec[${index}]` : 'codec';
    assertCodec(path, codec);
    if (codecs.findIndex(({ id }) => id === codec.id) < index) {
      throw new InvalidOptionError(`${path}.id`, codec.id, 'an id that no other codec of the list has');
    }
  });
  return Object.freeze([...codecs]);
}

/** The codec that encodes; undefined if values are stored as they are. */
export function encoderOf(codecs: readonly Codec[]): Codec | undefined {
  return codecs.find((codec) => typeof codec.encode === 'function');
}

function assertCodec(path: string, codec: unknown): void {
  if (typeof codec !== 'object' || codec === null) {
    throw new InvalidOptionError(path, codec, 'an object with id, encode and decode');
  }
  const { id, encode, decode } = codec as Partial<Codec>;
  if (typeof id !== 'string' || !ID.test(id)) {
    throw new InvalidOptionError(
      `${path}.id`,
      id,
      '1 to 64 of the characters A-Z a-z 0-9 . _ : / -, beginning with a letter or a digit',
    );
  }
  if (encode !== undefined && typeof encode !== 'function') {
    throw new InvalidOptionError(`${path}.encode`, encode, 'a function, or left out to decode only');
  }
  if (typeof decode !== 'function') {
    throw new InvalidOptionError(`${path}.decode`, decode, 'a function');
  }
}
