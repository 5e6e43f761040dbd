import { NAME_LENGTH } from '../definition/names.js';
import { defineTable } from './table.js';

/**
 * One row of `tq_tenant_rate`: a tenant of a queue that has used tokens of its rate and does not have all of them back.
 * The pruner deletes the others: without a row a tenant has all its tokens.
 */
export class TableQueueTenantRate {
  readonly queue!: string;
  /** The lane of the tenant's ready jobs. First in the key, because polls find lanes and not tenants. */
  readonly lane!: number;
  readonly tenant!: string;
  /** When all its tokens are free again, in µs: see `Rate`. */
  readonly fullAt!: number;
}

export const tenantRateTable = defineTable(TableQueueTenantRate, 'tenant_rate', (types) => ({
  columns: {
    queue: { ...types.name(NAME_LENGTH.queue), name: 'queue', primary: true },
    lane: { ...types.count, name: 'lane', primary: true },
    tenant: { ...types.text(NAME_LENGTH.tenant), name: 'tenant', primary: true },
    fullAt: { ...types.time, name: 'full_at' },
  },
}));
