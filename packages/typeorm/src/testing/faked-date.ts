/** The machine's clock, read before a test can fake it. */
const { now: machineNow } = Date;

/** How far a faked `Date` is ahead of the machine's clock. */
export class FakedDate {
  private known = 0;
  private last = 0;

  /**
   * The offset in ms; 0 if `Date` is not faked. It stays constant while a fake `Date` is fixed: the database's time is
   * the machine's time plus this offset, and must not go back between two statements.
   */
  get offset(): number {
    if (Date.now === machineNow) {
      this.known = 0;
      this.last = 0;
      return 0;
    }
    // The machine's clock first: a moved Date must not seem less far ahead than it is.
    const machine = machineNow();
    const date = Date.now();
    const offset = date - machine;
    this.known = this.last === 0 || date < this.last ? offset : Math.max(this.known, offset);
    this.last = date;
    return this.known;
  }
}
