import type { Check } from '../../check.js';
import { tables } from '../tables.js';
import { claimPlan } from './claim-plan.js';
import { durability } from './durability.js';
import { fileSize } from './file-size.js';
import { version } from './version.js';
import { writes } from './writes.js';

/** The checks of SQLite, in the order of the report. */
export const SQLITE_CHECKS: readonly Check[] = [version, tables, writes, claimPlan, durability, fileSize];
