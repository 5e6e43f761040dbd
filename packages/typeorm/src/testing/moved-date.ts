/**
 * Moves the `Date` of the process ahead. Unlike the fake dates of test frameworks it keeps running, as the database's
 * clock does. See docs/decisions/0088.
 *
 * A proxy and not a subclass: the dates that it makes are plain dates, and older dates are instances of it.
 */
export class MovedDate {
  /** The one that was installed last. */
  private static current: MovedDate | undefined;

  private readonly before = globalThis.Date;
  private readonly proxy: DateConstructor;

  /** @param ahead returns how far to move `Date`, in ms. */
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

  /** Whether any moved date is installed in the process. */
  static get isAnyInstalled(): boolean {
    return MovedDate.current?.isInstalled === true;
  }

  /** Whether this one is still installed: a test framework may have replaced it. */
  get isInstalled(): boolean {
    return globalThis.Date === this.proxy;
  }

  /** Restores the previous `Date`, unless something else has replaced this one. */
  remove(): void {
    if (this.isInstalled) {
      globalThis.Date = this.before;
    }
  }
}
