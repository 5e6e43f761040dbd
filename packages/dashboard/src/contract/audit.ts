/** `GET api/audit?cursor=&limit=`: who did what, the newest first. */
export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** For `cursor`; null at the end. */
  readonly next: string | null;
}

export interface AuditEntry {
  readonly id: string;
  readonly at: number;
  readonly who: string | null;
  readonly action: string;
  readonly target: string;
  readonly detail: string | null;
  readonly outcome: string;
}
