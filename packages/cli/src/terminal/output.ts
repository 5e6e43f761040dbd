import { styleText } from 'node:util';

import { visible, visibleBesideStyles } from './visible.js';

/** A stream that receives text. */
export interface OutputStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Prints results to the standard output, and errors and notes to the standard error. */
export class Output {
  private readonly isStyled: boolean;

  /**
   * @param hide removes passwords from errors and notes. Results contain none, and a password may equal a queue's name
   *   or a digit in them.
   */
  constructor(
    private readonly out: OutputStream,
    private readonly err: OutputStream,
    environment: Readonly<Record<string, string | undefined>>,
    private readonly hide: (text: string) => string,
  ) {
    const { NO_COLOR, FORCE_COLOR, TERM } = environment;
    const canStyle = out.isTTY === true && TERM !== 'dumb';
    this.isStyled = !NO_COLOR && (canStyle || Boolean(FORCE_COLOR));
  }

  get isTerminal(): boolean {
    return this.out.isTTY === true;
  }

  /** Prints lines. Control characters in them become visible: keys and errors of jobs can contain some. */
  print(...lines: readonly string[]): void {
    const text = lines.join('\n');
    this.out.write(`${this.isStyled ? visibleBesideStyles(text) : visible(text)}\n`);
  }

  /** Prints a value as JSON, on one line if `isLine` is set. */
  json(value: unknown, isLine = false): void {
    this.out.write(`${JSON.stringify(value, undefined, isLine ? 0 : 2)}\n`);
  }

  /** Prints a note to the standard error. */
  note(line: string): void {
    this.err.write(`${visible(this.hide(line))}\n`);
  }

  error(text: string): void {
    this.note(`tablequeue: ${text}`);
  }

  clear(): void {
    this.out.write('\u001B[2J\u001B[H');
  }

  style(style: Style, text: string): string {
    return this.isStyled ? styleText(style, text, { validateStream: false }) : text;
  }
}
