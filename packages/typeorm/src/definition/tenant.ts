import type { AnyJobDefinition } from './job-definition.js';
import { assertTenant } from './names.js';

/**
 * The tenant of a job: what was said with the job itself, or else what its definition makes of the payload.
 *
 * @throws InvalidNameError for one that cannot be stored.
 */
export function tenantOf(definition: AnyJobDefinition, payload: unknown, given: string | undefined): string | null {
  const tenant = given ?? definition.tenant?.(payload as never);
  if (tenant === undefined) {
    return null;
  }
  assertTenant(tenant);
  return tenant;
}
