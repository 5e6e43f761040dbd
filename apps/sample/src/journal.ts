const IS_KEPT = process.env.JOURNAL === 'on';

/** Prints one line of what happens in the shop, where `JOURNAL=on` asks for it. */
export function tell(order: number, what: string): void {
  if (IS_KEPT) {
    console.log(`order ${String(order).padEnd(4)} ${what}`);
  }
}
