const IS_ON = process.env.JOURNAL === 'on';

/** Prints what happens to an order, if `JOURNAL=on` is set. */
export function logOrder(order: number, what: string): void {
  if (IS_ON) {
    console.log(`order ${String(order).padEnd(4)} ${what}`);
  }
}
