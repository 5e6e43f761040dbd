import { type Binding, type Node, type Program, nameOf } from './program.js';
import { argumentsOf } from './sql-syntax.js';

/** What throws unless a value is a name of letters that mean nothing in SQL: no quote, no backslash, no backquote. */
const ASSERTIONS = new Set(['assertQueueName', 'assertJobName']);
const NAMES = 'packages/typeorm/src/definition/names.ts';

/** Whether a constant has been asserted to be such a name, in the block around its use and before that. */
export function isAsserted(program: Program, { kind, node, path }: Binding, use: Node): boolean {
  const block = program.enclosing(use, ['FunctionBody', 'BlockStatement']);
  const declaration = program.enclosing(node, ['VariableDeclaration']);
  if (kind !== 'variable' || path.length > 0 || declaration?.['kind'] !== 'const' || !block) {
    return false;
  }
  const before = (block['stmts'] as Node[]).filter(({ span }) => (span?.end ?? 0) <= (use.span?.start ?? 0));
  return before.some((statement) => {
    const call = statement['expression'] as Node | undefined;
    const [given] = call?.type === 'CallExpression' ? argumentsOf(call) : [];
    return call && program.isOneOf(ASSERTIONS, NAMES, call['callee'] as Node) && nameOf(given) === nameOf(use);
  });
}
