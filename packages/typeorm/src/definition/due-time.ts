/** When a new job is due: now, after a delay by the database's clock, or at a time. All in ms. */
export type DueTime = { readonly delay: number } | { readonly at: number };
