import { defineTable } from './table.js';

/**
 * One row of `tq_alert`: a problem that a rule of the alerts has found. One further row, without a rule, counts the
 * messages of the last hour.
 */
export class TableQueueAlert {
  /** The name of the rule; empty in the row of the hour. */
  readonly rule!: string;
  /** The kind of the problem; empty in the row of the hour. */
  readonly kind!: string;
  /** Since when the problem was found by each evaluation; or when the hour began. */
  readonly foundAt!: number;
  /** When the alert was sent; null before. */
  readonly openedAt!: number | null;
  /** 1 if the alert was due when there were too many messages. */
  readonly isHeld!: number;
  /** In the row of the hour: when the rules were last evaluated. */
  readonly checkedAt!: number;
  /** In the row of the hour: how many messages it had. */
  readonly messages!: number;
  /** In the row of the hour: how many alerts have ended without a message. */
  readonly leftOut!: number;
}

export const alertTable = defineTable(TableQueueAlert, 'alert', (types) => ({
  columns: {
    rule: { ...types.name(64), name: 'rule', primary: true },
    kind: { ...types.name(32), name: 'kind', primary: true },
    foundAt: { ...types.time, name: 'found_at' },
    openedAt: { ...types.time, name: 'opened_at', nullable: true },
    isHeld: { ...types.kind, name: 'is_held', default: 0 },
    checkedAt: { ...types.time, name: 'checked_at', default: 0 },
    messages: { ...types.count, name: 'messages', default: 0 },
    leftOut: { ...types.count, name: 'left_out', default: 0 },
  },
}));
