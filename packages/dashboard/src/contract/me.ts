/** A reader sees everything and changes nothing. */
export type Role = 'reader' | 'operator';

/** `GET api/me`: who asks, and what there is to see. */
export interface Me {
  /** What `who` says; null without it. */
  readonly name: string | null;
  readonly role: Role;
  /** The names of the data sources, for `?database=`; the first is the default. */
  readonly databases: readonly string[];
  /** That of the package. */
  readonly version: string;
}
