import { isAsserted } from './asserted-names.js';
import { CallGraph } from './call-graph.js';
import { type Binding, type Node, type Program, isFunction, nameOf, returnsOf } from './program.js';
import { argumentsOf, calleeName, isOfSql, isOfTables, partsOf, pathOf, valueOf } from './sql-syntax.js';

/*
 * Follows every piece of SQL back to where its text comes from. It is proved when that is nothing but literals of the
 * source, numbers that were computed, names asserted right there, and the few expressions in `TRUSTED`; a parameter is
 * proved by all calls there are, a function by all it returns. What a caller of the queue gives can then not be part of a
 * statement's text, but for such a name.
 */

/** Where a statement's text is handed over: the first argument of methods by these names, whosever they are, ... */
const METHODS = new Set(['query', 'exec', 'pragma']);
/** ... and that of these functions, which stand there or in code that is not looked at. */
const FUNCTIONS = new Set(['select', 'change']);
const OPERATIONS = 'packages/typeorm/src/engine/operation.ts';

/** Where a name is no value: it is called, declared, imported, or is that of a property. */
const NAMING = new Set(['callee', 'key', 'property', 'identifier', 'id', 'local', 'imported', 'pat']);

/** Numbers, whatever they are given: at worst NaN, which is no SQL. */
const NUMBERS = new Set(['Math.trunc', 'Math.floor', 'Math.ceil', 'Math.round', 'Math.min', 'Math.max', 'Number']);
/** Numbers and truths. */
const COMPUTED = new Set(['-', '*', '/', '%', '<', '<=', '>', '>=', '===', '!==', '==', '!=', 'in', 'instanceof']);

/** What a dialect has besides SQL. */
const NOT_SQL = new Set(['heldRows', 'held', 'snapshots', 'partitionable']);

/** In a way: every element of a list. */
const ELEMENT = '*';

/** Methods that make text of nothing but what they are called on. */
const SAME_TEXT = new Set(['slice', 'repeat', 'trim', 'toReversed', 'sort', 'filter', 'toSorted', 'flat']);

/** Properties and calls that are trusted, each with its reason. */
export interface Trusted {
  /** `file: expression`, as it stands there. */
  readonly [expression: string]: string;
}

/** What could not be proved, by the place of the expression. */
export interface Finding {
  readonly file: string;
  readonly expression: string;
  readonly line: string;
  /** The piece of SQL it is part of. */
  readonly sink: string;
}

export class SqlProof {
  readonly findings: Finding[] = [];
  /** The trusted expressions that were needed. */
  readonly used = new Set<string>();
  /** The files of the pieces of SQL that were looked at, one for each piece. */
  readonly sinks: string[] = [];
  private sink = '';
  private readonly trustedFiles: ReadonlySet<string>;
  private readonly verdicts = new Map<Node, boolean>();
  private readonly ways = new Map<Node, Map<string, boolean>>();
  private readonly graph: CallGraph;

  constructor(
    private readonly program: Program,
    private readonly trusted: Trusted,
  ) {
    this.trustedFiles = new Set(Object.keys(trusted).map((name) => name.split(': ')[0] as string));
    this.graph = new CallGraph(program);
    for (const node of program.nodes) {
      this.checkSink(node);
    }
  }

  private checkSink(node: Node): void {
    if (this.isHandedOn(node)) {
      this.sink = this.locate(this.program.parentOf(node) as Node).line;
      this.refuse(node);
    }
    const sql = this.sinkOf(node);
    if (sql) {
      const { file, line } = this.locate(sql);
      this.sinks.push(file);
      this.sink = line;
      this.isProved(sql);
    }
  }

  /** The SQL that is handed over, or made for others, at a node. */
  private sinkOf(node: Node): Node | undefined {
    if (node.type === 'KeyValueProperty' && nameOf(node['key']) === 'sql') {
      return node['value'] as Node;
    }
    if (node.type === 'CallExpression' && this.isSink(node['callee'] as Node)) {
      return this.isOfRegularExpression(node['callee'] as Node) ? undefined : argumentsOf(node)[0];
    }
    if (
      isFunction(node) &&
      this.program.enclosing(node, ['FunctionDeclaration', 'ArrowFunctionExpression']) === undefined &&
      /\/migrations\/v\d+\//.test(this.program.sourceOf(node).file)
    ) {
      return node;
    }
    const owner = this.program.enclosing(node, ['ClassDeclaration']);
    if (nameOf(owner?.['identifier'])?.endsWith('Dialect') && /^Class(Property|Method)$/.test(node.type)) {
      const isSql = !NOT_SQL.has(nameOf(node['key']) ?? '');
      return isSql
        ? ((node['value'] ?? (node.type === 'ClassMethod' ? node : undefined)) as Node | undefined)
        : undefined;
    }
    return undefined;
  }

  private isSink(callee: Node): boolean {
    if (callee.type !== 'Identifier') {
      return METHODS.has(calleeName(callee) ?? '');
    }
    const name = nameOf(callee) as string;
    return this.program.resolve(name, callee)
      ? this.program.isOneOf(FUNCTIONS, OPERATIONS, callee)
      : FUNCTIONS.has(name);
  }

  /** Whether a function that runs SQL is given away as a value: who calls it, and with what, could not be followed. */
  private isHandedOn(node: Node): boolean {
    const parent = this.program.parentOf(node);
    const names = Object.entries(parent ?? {}).some(([key, value]) => value === node && NAMING.has(key));
    return node.type === 'Identifier' && !names && this.program.isOneOf(FUNCTIONS, OPERATIONS, node);
  }

  private isOfRegularExpression(callee: Node): boolean {
    const object = callee['object'] as Node | undefined;
    const binding = object?.type === 'Identifier' ? this.program.resolve(nameOf(object) ?? '', object) : undefined;
    return (binding?.node ?? object)?.type === 'RegExpLiteral';
  }

  /** Whether the text of an expression comes from the source alone; reports where it does not. */
  private isProved(node: Node): boolean {
    const known = this.verdicts.get(node);
    if (known !== undefined) {
      return known;
    }
    // What is being proved may stand on itself: a loop that only adds proved text.
    this.verdicts.set(node, true);
    const proved = this.prove(node);
    this.verdicts.set(node, proved);
    return proved;
  }

  private prove(node: Node): boolean {
    if (this.isTrusted(node)) {
      return true;
    }
    switch (node.type) {
      case 'StringLiteral':
      case 'NumericLiteral':
      case 'NullLiteral':
      case 'BooleanLiteral':
        return true;
      case 'TemplateLiteral':
      case 'ArrayExpression':
        return this.all(partsOf(node));
      case 'ParenthesisExpression':
      case 'TsAsExpression':
      case 'TsConstAssertion':
      case 'TsNonNullExpression':
      case 'TsSatisfiesExpression':
      case 'SpreadElement':
        return this.isProved((node['expression'] ?? node['arguments']) as Node);
      case 'ConditionalExpression':
        return this.all([node['consequent'] as Node, node['alternate'] as Node]);
      case 'BinaryExpression':
        return COMPUTED.has(node['operator'] as string) || this.all([node['left'] as Node, node['right'] as Node]);
      case 'UnaryExpression':
        return true;
      case 'ObjectExpression':
        return this.all((node['properties'] as Node[]).map(valueOf));
      case 'OptionalChainingExpression':
        return this.isProved(node['base'] as Node);
      case 'Identifier':
        return this.proveName(node);
      case 'MemberExpression':
        return this.proveMember(node);
      case 'CallExpression':
        return this.proveCall(node);
      default:
        return isFunction(node) ? this.all(returnsOf(node)) : this.refuse(node);
    }
  }

  private proveName(node: Node): boolean {
    const name = nameOf(node) as string;
    if (name === 'undefined' || name === 'Infinity') {
      return true;
    }
    const binding = this.program.resolve(name, node);
    return binding ? this.proveBinding(binding, node) : this.refuse(node);
  }

  private proveBinding(binding: Binding, use: Node): boolean {
    const { kind, node, index, path, type } = binding;
    if (isAsserted(this.program, binding, use)) {
      return true;
    }
    if (path.at(-1) === 'sql' || isOfSql(type, path)) {
      return true;
    }
    if (kind === 'element') {
      return this.provePath(node, [ELEMENT, ...path]);
    }
    if (kind === 'variable') {
      return this.all([...this.graph.assignedTo(use)]) && this.provePath(node, path) && this.provePushed(use);
    }
    if (kind === 'function') {
      return this.all(returnsOf(node));
    }
    const iterated = this.graph.iteratedBy(node);
    if (iterated) {
      // Besides the element there are only its index and the list.
      return index === 1 || this.provePath(iterated, [ELEMENT, ...path]);
    }
    const given = this.graph.argumentsFor(node, index);
    return given ? given.every((argument) => this.provePath(argument, path)) : this.refuse(use);
  }

  /** What is at the end of a way through a value. */
  private provePath(node: Node, path: readonly (string | number)[]): boolean {
    if (path.length === 0) {
      return this.isProved(node);
    }
    const ways = this.ways.get(node) ?? new Map<string, boolean>();
    this.ways.set(node, ways);
    const way = path.join('/');
    // As in `isProved`: true while it is being proved.
    if (!ways.has(way)) {
      ways.set(way, true);
      ways.set(way, this.proveWay(node, path));
    }
    return ways.get(way) as boolean;
  }

  private proveWay(node: Node, path: readonly (string | number)[]): boolean {
    const [key, ...rest] = path;
    if (node.type === 'ObjectExpression') {
      const property = (node['properties'] as Node[]).find((each) => nameOf(each['key'] ?? each) === key);
      return property ? this.provePath(valueOf(property), rest) : this.refuse(node);
    }
    if (['ParenthesisExpression', 'TsAsExpression', 'TsConstAssertion', 'TsNonNullExpression'].includes(node.type)) {
      return this.provePath(node['expression'] as Node, path);
    }
    if (node.type === 'ConditionalExpression') {
      return [node['consequent'], node['alternate']].every((each) => this.provePath(each as Node, path));
    }
    if (node.type === 'ArrayExpression' && key === ELEMENT) {
      return partsOf(node).every((part) => this.provePath(part, rest));
    }
    if (node.type === 'ArrayExpression') {
      const part = partsOf(node)[Number(key)];
      return part ? this.provePath(part, rest) : this.refuse(node);
    }
    if (node.type === 'Identifier') {
      return this.provePathOfName(node, path);
    }
    if (node.type === 'CallExpression') {
      const name = calleeName(node['callee'] as Node) ?? '';
      if (name === 'map' || name === 'flatMap') {
        return argumentsOf(node)
          .flatMap(returnsOf)
          .every((returned) => this.provePath(returned, key === ELEMENT && name === 'map' ? rest : path));
      }
      if (SAME_TEXT.has(name)) {
        return this.provePath((node['callee'] as Node)['object'] as Node, path);
      }
      const called = this.graph.calledBy(node);
      if (called.length > 0) {
        return called.flatMap(returnsOf).every((returned) => this.provePath(returned, path));
      }
    }
    return isOfTables(node) || this.isProved(node);
  }

  private provePathOfName(node: Node, path: readonly (string | number)[]): boolean {
    const binding = this.program.resolve(nameOf(node) as string, node);
    if (isOfTables(node) || this.isTrusted(node) || path.at(-1) === 'sql' || isOfSql(binding?.type, path)) {
      return true;
    }
    const iterated = binding?.kind === 'parameter' ? this.graph.iteratedBy(binding.node) : undefined;
    if (iterated) {
      return this.provePath(iterated, [ELEMENT, ...(binding as Binding).path, ...path]);
    }
    if (binding?.kind === 'element') {
      return this.provePath(binding.node, [ELEMENT, ...binding.path, ...path]);
    }
    if (binding?.kind === 'parameter') {
      const given = this.graph.argumentsFor(binding.node, binding.index);
      return given
        ? given.every((argument) => this.provePath(argument, [...binding.path, ...path]))
        : this.refuse(node);
    }
    return binding ? this.provePath(binding.node, [...binding.path, ...path]) : this.refuse(node);
  }

  private proveMember(node: Node): boolean {
    const property = nameOf(node['property']);
    if (
      property === 'sql' ||
      property === 'length' ||
      property === 'size' ||
      pathOf(node).startsWith('Number.') ||
      isOfTables(node['object'] as Node)
    ) {
      return true;
    }
    const object = node['object'] as Node;
    if ((node['property'] as Node).type === 'Computed') {
      return this.isProved(object);
    }
    if (object.type === 'ThisExpression' && property !== undefined) {
      return this.proveOwnMember(node, property);
    }
    return object.type === 'Identifier' && this.provesMemberOf(object, property) ? true : this.refuse(node);
  }

  private provesMemberOf(object: Node, property: string | undefined): boolean {
    const binding = this.program.resolve(nameOf(object) as string, object);
    if (!binding || property === undefined) {
      return false;
    }
    return (
      isOfSql(binding.type, [property]) ||
      (binding.kind === 'variable' && this.provePath(binding.node, [...binding.path, property]))
    );
  }

  /** A field, getter or method of the class around. */
  private proveOwnMember(use: Node, property: string): boolean {
    const values = this.graph.membersOf(property, use);
    return values.length > 0 ? this.all(values) : this.refuse(use);
  }

  private proveCall(node: Node): boolean {
    const callee = node['callee'] as Node;
    const path = pathOf(callee);
    if (NUMBERS.has(path) || path.endsWith('driver.escape')) {
      return true;
    }
    const first = argumentsOf(node);
    if (path === 'String' || path === 'Object.values') {
      return this.all(first);
    }
    if (callee.type === 'MemberExpression') {
      const [name = '', object] = [nameOf(callee['property']), callee['object'] as Node];
      if (name === 'map' || name === 'flatMap') {
        return this.all(first);
      }
      if (name === 'join') {
        return this.isProved(object) && this.all(first);
      }
      if (name === 'toISOString') {
        return true;
      }
      if (SAME_TEXT.has(name) || name === 'replaceAll') {
        // What takes the place of a part is part of the text.
        return this.isProved(object) && (name !== 'replaceAll' || this.all(first.slice(1)));
      }
    }
    const called = this.graph.calledBy(node);
    return called.length > 0 ? this.all(called) : this.refuse(node);
  }

  /** What is pushed to a list belongs to it. */
  private provePushed(list: Node): boolean {
    return this.graph.pushesTo(list).every((push) => this.all(argumentsOf(push)));
  }

  private all(nodes: readonly Node[]): boolean {
    return nodes.map((node) => this.isProved(node)).every(Boolean);
  }

  private isTrusted(node: Node): boolean {
    if (!this.trustedFiles.has(this.program.sourceOf(node).file)) {
      return false;
    }
    const { file, expression } = this.locate(node);
    const name = `${file}: ${expression}`;
    if (name in this.trusted) {
      this.used.add(name);
      return true;
    }
    return false;
  }

  private refuse(node: Node): false {
    this.findings.push({ ...this.locate(node), sink: this.sink });
    return false;
  }

  private locate(node: Node): Omit<Finding, 'sink'> {
    const source = this.program.sourceOf(node);
    const line = source.describe(node);
    return { file: source.file, expression: line.slice(line.indexOf(' ') + 1), line };
  }
}
