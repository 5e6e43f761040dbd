/**
 * The process's `Date`, ahead of what it was. Unlike the fake dates of test frameworks it goes on by itself, as the
 * database's clock does, and needs no timer for that.
 *
 * A proxy and no subclass: the dates that it makes are plain dates, and those made before are instances of it.
 */
export class MovedDate {
  /** The one that the process uses. */
  private static current: MovedDate | undefined;

  private readonly before = globalThis.Date;
  private readonly proxy: DateConstructor;

  /** @param ahead how far, in ms. */
  constructor(ahead: () => number) {
    const { before } = this;
    const now = () => before.now() + ahead();
    this.proxy = new Proxy(before, {
      construct: (target, args: unknown[], newTarget) =>
        Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
      apply: () => new before(now()).toString(),
      get: (target, property, receiver) => (property === 'now' ? now : Reflect.get(target, property, receiver)),
    });
    globalThis.Date = this.proxy;
    MovedDate.current = this;
  }

  /** Whether one is used by the process. */
  static get isAnyInstalled(): boolean {
    return MovedDate.current?.isInstalled === true;
  }

  /** Whether it is what the process uses; something else may have replaced it. */
  get isInstalled(): boolean {
    return globalThis.Date === this.proxy;
  }

  /** Gives the `Date` before back, unless something else has replaced this one. */
  remove(): void {
    if (this.isInstalled) {
      globalThis.Date = this.before;
    }
  }
}
