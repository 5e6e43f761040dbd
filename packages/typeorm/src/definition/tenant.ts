import type { AnyJobDefinition } from './job-definition.js';
import { assertTenant } from './names.js';

/**
 * Returns the tenant of a job: the one of its options, or the one that its definition returns for the payload.
 *
 * @throws InvalidNameError for a tenant that cannot be stored.
 */
export function tenantOf(definition: AnyJobDefinition, payload: unknown, given: string | undefined): string | null {
  const tenant = given ?? definition.tenant?.(payload as never);
  if (tenant === undefined) {
    return null;
  }
  assertTenant(tenant);
  return tenant;
}
