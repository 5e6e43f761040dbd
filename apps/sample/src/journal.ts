const SINCE = Date.now();

/** Prints one line of what happens in the shop. */
export function tell(order: number, what: string): void {
  const seconds = ((Date.now() - SINCE) / 1000).toFixed(1).padStart(6);
  console.log(`${seconds} s  order ${String(order).padEnd(3)} ${what}`);
}
