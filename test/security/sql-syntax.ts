import { type Node, nameOf } from './program.js';

export function argumentsOf(call: Node): Node[] {
  return ((call['arguments'] ?? []) as { expression: Node }[]).map(({ expression }) => expression);
}

/** The value of a property; of `{ name }` the name. */
export function valueOf(property: Node): Node {
  return property.type === 'KeyValueProperty' ? (property['value'] as Node) : property;
}

export function isOfThis(callee: Node): boolean {
  return (callee['object'] as Node | undefined)?.type === 'ThisExpression';
}

/** The tables' names and the dialect's expressions: each is proved, or trusted, where it is made. */
export function isOfTables(node: Node): boolean {
  const path = pathOf(node).replace('this.', '');
  return ['tables', 'dialect', 'dialect.tables', 'TABLES'].includes(path);
}

export function isOfSql(type: string | undefined, path: readonly (string | number)[]): boolean {
  return ['Dialect', 'TableNames'].includes(type ?? '') && path.length > 0;
}

export function pathOf(node: Node): string {
  if (node.type === 'MemberExpression') {
    return `${pathOf(node['object'] as Node)}.${nameOf(node['property']) ?? '?'}`;
  }
  return node.type === 'ThisExpression' ? 'this' : (nameOf(node) ?? '?');
}

export function calleeName(callee: Node): string | undefined {
  if (callee.type === 'OptionalChainingExpression') {
    return calleeName(callee['base'] as Node);
  }
  return nameOf(callee.type === 'MemberExpression' ? callee['property'] : callee);
}

/** The parts of a template or a list; of what is spread into a list, its parts. */
export function partsOf(node: Node): Node[] {
  return node.type === 'TemplateLiteral'
    ? (node['expressions'] as Node[])
    : (node['elements'] as ({ spread: unknown; expression: Node } | null)[]).flatMap((element) => {
        const { spread, expression } = element ?? {};
        return !expression ? [] : spread ? spreadParts(expression) : [expression];
      });
}

function spreadParts(node: Node): Node[] {
  switch (node.type) {
    case 'ParenthesisExpression':
      return spreadParts(node['expression'] as Node);
    case 'ConditionalExpression':
      return [node['consequent'], node['alternate']].flatMap((each) => spreadParts(each as Node));
    case 'ArrayExpression':
      return partsOf(node);
    default:
      return [node];
  }
}
