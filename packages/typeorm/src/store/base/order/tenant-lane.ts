import { crc32 } from 'node:zlib';

/**
 * The number of a tenant's lane: the `lane` of its ready jobs. 0 is the lane of the jobs without a tenant. Two tenants
 * can have the same number: they share a lane, and with it their turn in the round robin, but not their limits.
 */
export function laneOf(tenant: string | null): number {
  return tenant === null ? 0 : crc32(tenant) || 1;
}

/** The highest number of a lane. */
export const LAST_LANE = 0xffff_ffff;
