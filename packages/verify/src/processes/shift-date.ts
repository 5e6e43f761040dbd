/* Imported before the code of a process: shifts its clock by the `hours` in the URL of this module. */
const shift = Number(new URL(import.meta.url).searchParams.get('hours')) * 3_600_000;
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...values: [] | [number]) {
    super(...(values.length === 0 ? ([RealDate.now() + shift] as [number]) : values));
  }

  static override now(): number {
    return RealDate.now() + shift;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
