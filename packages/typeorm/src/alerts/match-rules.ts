import type { FoundProblem } from '../queue/health/problem.js';
import type { ResolvedRule } from './alert-options.js';

/** The first rule that matches a problem. */
export function matchingRule(
  rules: readonly ResolvedRule[],
  { kind, severity, queues }: Pick<FoundProblem, 'kind' | 'severity' | 'queues'>,
): ResolvedRule | undefined {
  return rules.find(
    (rule) =>
      rule.kinds.includes(kind) &&
      rule.severities.includes(severity) &&
      (!rule.queues || rule.queues.some((queue) => queues.includes(queue))),
  );
}
