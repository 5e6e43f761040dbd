/** The lowest and highest priority. */
export const PRIORITY_RANGE = { first: -500, last: 500 } as const;
