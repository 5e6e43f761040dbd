/** The machine's clock, before anybody fakes it. */
const { now: machineNow } = Date;

/** How far a faked `Date` is ahead of the machine's clock. */
export class FakedDate {
  private known = 0;
  private last = 0;

  /**
   * In ms; 0 where `Date` is not faked. While a fake `Date` stands still this does too, although the machine's clock goes
   * on: the database's time, which is made of both, must not go back between two statements.
   */
  get offset(): number {
    if (Date.now === machineNow) {
      this.known = 0;
      this.last = 0;
      return 0;
    }
    // The machine first: a moved Date must never seem less far ahead than it is.
    const machine = machineNow();
    const date = Date.now();
    const offset = date - machine;
    this.known = this.last === 0 || date < this.last ? offset : Math.max(this.known, offset);
    this.last = date;
    return this.known;
  }
}
