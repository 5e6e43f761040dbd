import { inspect } from 'node:util';

import { readEncoded } from './encoded-text.js';

/** A stored value that was not decoded. As text and in JSON it is `cannot be decoded: codec …`. */
export class UndecodedValue {
  /** The id of the codec that has written the value. */
  readonly codec: string;
  readonly #stored: string;
  readonly #hasFailed: boolean;

  /** @internal @param hasFailed whether the codec is known here and has thrown. */
  constructor(stored: string, hasFailed = false) {
    this.codec = readEncoded(stored).codec;
    this.#stored = stored;
    this.#hasFailed = hasFailed;
  }

  /** @internal The stored text of a value. */
  static storedTextOf(value: UndecodedValue): string {
    return value.#stored;
  }

  /** `cannot be decoded: codec …`, and why. */
  toString(): string {
    return `cannot be decoded: codec ${this.codec} ${this.#hasFailed ? 'has failed' : 'is not known here'}`;
  }

  /** The same text. */
  toJSON(): string {
    return this.toString();
  }

  /** The same text in brackets. */
  [inspect.custom](): string {
    return `[${this.toString()}]`;
  }
}
