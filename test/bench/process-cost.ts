import { readFileSync, readdirSync } from 'node:fs';

/** What a process has used, with all it has started. */
export interface ProcessCost {
  /** In ms, of both kinds. */
  readonly cpu: number;
  /** In bytes: what its processes hold at this moment, shared memory once. */
  readonly memory: number;
}

/** One tick of /proc, in ms: USER_HZ is 100 on every Linux. */
const TICK = 10;

/** Reads what a server uses; undefined where there is no /proc, or the server is not of this machine. */
export function costOf(processId: number | undefined): ProcessCost | undefined {
  const own = processId === undefined ? undefined : statOf(processId);
  if (own === undefined || processId === undefined) {
    return undefined;
  }
  // Children that have ended are counted in their parent's own line.
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ id: Number(name), stat: statOf(Number(name)) }))
    .filter(({ stat }) => stat?.parent === processId);
  return {
    cpu: own.cpu + own.endedChildren + children.reduce((sum, { stat }) => sum + (stat?.cpu ?? 0), 0),
    memory: memoryOf(processId, 'VmRSS') + children.reduce((sum, { id }) => sum + memoryOf(id, 'RssAnon'), 0),
  };
}

function statOf(processId: number): { parent: number; cpu: number; endedChildren: number } | undefined {
  try {
    const text = readFileSync(`/proc/${processId}/stat`, 'utf8');
    // The second field is the program's name in brackets, which may hold anything.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const at = (field: number) => fields[field - 3] ?? 0;
    return { parent: at(4), cpu: (at(14) + at(15)) * TICK, endedChildren: (at(16) + at(17)) * TICK };
  } catch {
    return undefined;
  }
}

function memoryOf(processId: number, field: string): number {
  try {
    const status = readFileSync(`/proc/${processId}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
