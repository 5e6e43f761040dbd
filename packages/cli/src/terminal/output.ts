import { styleText } from 'node:util';

/** Where text goes. */
export interface OutputStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** A way to emphasise text. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** What the commands print: results to the standard output, everything about them to the standard error. */
export class Output {
  private readonly isStyled: boolean;

  /**
   * @param hide removes what is never to be printed, and what others may have put into an error. Not from results, which
   *   have none of it: a password that is the name of a queue, or a digit, would be taken out of them.
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

  /** Whether somebody looks at it as it comes. */
  get isTerminal(): boolean {
    return this.out.isTTY === true;
  }

  print(...lines: readonly string[]): void {
    this.out.write(`${lines.join('\n')}\n`);
  }

  /** One value, on one line where `isLine` says so. */
  json(value: unknown, isLine = false): void {
    this.out.write(`${JSON.stringify(value, undefined, isLine ? 0 : 2)}\n`);
  }

  /** Something beside the result. */
  note(line: string): void {
    this.err.write(`${this.hide(line)}\n`);
  }

  error(text: string): void {
    this.note(`tablequeue: ${text}`);
  }

  /** Makes room for what is printed next in the place of all before. Only on a terminal. */
  clear(): void {
    this.out.write('\u001B[2J\u001B[H');
  }

  /** Emphasised on a terminal that shows it, otherwise as it is. */
  style(style: Style, text: string): string {
    return this.isStyled ? styleText(style, text, { validateStream: false }) : text;
  }
}
