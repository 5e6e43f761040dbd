import type { Finding } from '../../../doctor/finding.js';
import type { ReadFacts } from '../facts.js';
import { type FoundProblem, problem } from '../problem.js';

/** The check whose warning is reported too: the server cannot purge. */
const PURGE = 'history-length';

/** The server cannot purge the index entries that jobs have left. */
export function heldPurge({ readings: { findings = [] } }: ReadFacts): FoundProblem[] {
  return findings
    .filter(({ check, status }) => check === PURGE && (status === 'warning' || status === 'problem'))
    .map(({ found, change, why }) =>
      problem({
        kind: 'held-purge',
        severity: 'warning',
        message: `Purge on the server is behind: ${found}.`,
        count: 1,
        examples: [],
        harm: why ?? 'Claims get slower.',
        action: actionOf(change),
      }),
    );
}

/** Cheap checks of the doctor have found that something does not work, or will fail. */
export function databaseFindings({ readings: { findings = [] } }: ReadFacts): FoundProblem[] {
  const found = findings.filter(({ check, status }) => check !== PURGE && status === 'problem');
  const [first] = found;
  return !first
    ? []
    : [
        problem({
          kind: 'database-findings',
          severity: 'warning',
          message: messageOf(first, found.length),
          count: found.length,
          examples: found.map(({ check }) => check),
          harm: first.why ?? 'Something does not work, or will fail.',
          action: actionOf(first.change),
        }),
      ];
}

function messageOf({ check, found }: Finding, count: number): string {
  return `The doctor has a finding about the database: ${check}: ${found}${count === 1 ? '' : `, and ${count - 1} more`}.`;
}

function actionOf(change: readonly string[]): string {
  return change[0] ?? 'Run "tablequeue doctor", which shows what to change.';
}
