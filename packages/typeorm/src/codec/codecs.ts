import { DecodeFailedError, EncodeFailedError, SnoozeJobError, UnknownCodecError } from '../errors/index.js';
import { messageOf } from '../errors/thrown.js';
import { type Codec, type EncodedKind, encoderOf } from './codec.js';
import { definedCodec } from './defined-codecs.js';
import { isEncoded, readEncoded, writeEncoded } from './encoded-text.js';

/** A definition of a job or a signal, as far as its codecs go. */
export interface WithCodec {
  readonly codec?: readonly Codec[] | undefined;
}

/** The codecs of a queue: encodes values, and decodes stored ones. */
export class Codecs {
  private readonly encoder: Codec | undefined;

  /** @param own those of the queue's options. */
  constructor(private readonly own: readonly Codec[] = []) {
    this.encoder = encoderOf(own);
  }

  /** The codec that encodes for a definition; undefined if values are stored as they are. */
  encoderFor({ codec }: WithCodec): Codec | undefined {
    return codec === undefined ? this.encoder : encoderOf(codec);
  }

  /** Whether this process can decode a stored text, as far as is known. */
  knows(stored: string | null, definition: WithCodec): boolean {
    return stored === null || !isEncoded(stored) || this.find(readEncoded(stored).codec, definition) !== undefined;
  }

  /**
   * Returns the text to store.
   *
   * @param value what is encoded, for the error: `payload of job "mail.send"`.
   * @throws EncodeFailedError
   */
  async encode(codec: Codec, text: string, kind: EncodedKind, value: string): Promise<string> {
    let encoded: unknown;
    try {
      encoded = await codec.encode?.(text, kind);
    } catch (error) {
      throw new EncodeFailedError(codec.id, value, messageOf(error), { cause: error });
    }
    if (encoded === undefined) {
      return text;
    }
    // Databases do not store all of them alike.
    if (typeof encoded !== 'string' || encoded.includes('\0') || !encoded.isWellFormed()) {
      const what = typeof encoded === 'string' ? 'a string with NUL or a lone surrogate' : typeof encoded;
      throw new EncodeFailedError(codec.id, value, `it returned ${what} instead of a string`);
    }
    return writeEncoded({ codec: codec.id, text: encoded });
  }

  /**
   * Returns the text that was encoded, or the stored text if none was.
   *
   * @throws UnknownCodecError, DecodeFailedError, the SnoozeJobError of a codec.
   */
  async decode(stored: string, kind: EncodedKind, value: string, definition: WithCodec = {}): Promise<string> {
    if (!isEncoded(stored)) {
      return stored;
    }
    const { codec: id, text } = readEncoded(stored);
    const codec = this.find(id, definition);
    if (codec === undefined) {
      throw new UnknownCodecError(id, value);
    }
    let decoded: unknown;
    try {
      decoded = await codec.decode(text, kind);
    } catch (error) {
      throw error instanceof SnoozeJobError
        ? error
        : new DecodeFailedError(id, value, messageOf(error), { cause: error });
    }
    if (typeof decoded !== 'string') {
      throw new DecodeFailedError(id, value, `it returned ${typeof decoded} instead of a string`);
    }
    return decoded;
  }

  /** Reads an encoded JSON text. @throws the errors of `decode`. */
  async decodeJson(stored: string, kind: EncodedKind, value: string, definition?: WithCodec): Promise<unknown> {
    const text = await this.decode(stored, kind, value, definition);
    try {
      return JSON.parse(text);
    } catch {
      throw new DecodeFailedError(readEncoded(stored).codec, value, 'it returned no JSON');
    }
  }

  private find(id: string, { codec = [] }: WithCodec): Codec | undefined {
    const hasId = (each: Codec) => each.id === id;
    return codec.find(hasId) ?? this.own.find(hasId) ?? definedCodec(id);
  }
}
