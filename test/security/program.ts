import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parseSync } from '@swc/core';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A node of a syntax tree, with what it stands in. */
export interface Node {
  readonly type: string;
  readonly span?: { readonly start: number; readonly end: number };
  readonly [property: string]: unknown;
}

/** One source file. */
export interface Source {
  readonly file: string;
  readonly tree: Node;
  /** All nodes of the tree. */
  readonly nodes: readonly Node[];
  /** Text and line of a node. */
  readonly describe: (node: Node) => string;
}

/** What one name stands for: a variable, a parameter or an element of what is iterated, and the way from there to it. */
export interface Binding {
  readonly kind: 'variable' | 'parameter' | 'element' | 'function';
  /** The initial value, the iterated value, or the function. */
  readonly node: Node;
  /** Of a parameter, its place. */
  readonly index: number;
  readonly path: readonly (string | number)[];
  /** The name of the declared type of the whole that is taken apart. */
  readonly type: string | undefined;
}

/** The syntax trees of the packages' own code. */
export class Program {
  readonly sources: readonly Source[];

  private constructor(code: ReadonlyMap<string, string>) {
    this.sources = [...code].map(([file, text]) => parsed(file, text));
  }

  /** @param changes code in the place of what a file has, or of files that are not there. */
  static ofPackages(changes: Readonly<Record<string, string>> = {}): Program {
    const files = execFileSync('git', ['ls-files', 'packages/*/src/*.ts'], { cwd: ROOT, encoding: 'utf8' });
    const code = new Map<string, string>();
    for (const file of files
      .trim()
      .split('\n')
      .filter((name) => !name.endsWith('.spec.ts'))) {
      code.set(file, readFileSync(join(ROOT, file), 'utf8'));
    }
    Object.entries(changes).forEach(([file, text]) => code.set(file, text));
    return new Program(code);
  }

  /** All nodes of all files. */
  get nodes(): readonly Node[] {
    return this.sources.flatMap(({ nodes }) => nodes);
  }

  parentOf(node: Node): Node | undefined {
    return parents.get(node);
  }

  sourceOf(node: Node): Source {
    for (let at: Node | undefined = node; at; at = parents.get(at)) {
      const source = files.get(at);
      if (source) {
        return source;
      }
    }
    throw new Error(`a node of no file: ${node.type}`);
  }

  /** The innermost function or class around a node. */
  enclosing(node: Node, types: readonly string[]): Node | undefined {
    let at = parents.get(node);
    while (at && !types.includes(at.type)) {
      at = parents.get(at);
    }
    return at;
  }

  /** What a name stands for where it is used. */
  resolve(name: string, use: Node): Binding | undefined {
    for (let at = parents.get(use); at; at = parents.get(at)) {
      const binding = this.bindingIn(at, name);
      if (binding) {
        return binding;
      }
    }
    return undefined;
  }

  /** Whether a name, also one it was imported by, stands for one of these functions of a file. */
  isOneOf(functions: ReadonlySet<string>, file: string, name: Node): boolean {
    const { kind, node } = this.resolve(nameOf(name) ?? '', name) ?? {};
    return (
      kind === 'function' &&
      functions.has(nameOf(node?.['identifier']) ?? '') &&
      this.sourceOf(node as Node).file === file
    );
  }

  private bindingIn(scope: Node, name: string): Binding | undefined {
    if (isFunction(scope)) {
      for (const [index, parameter] of parametersOf(scope).entries()) {
        const found = pathTo(name, parameter);
        if (found) {
          return { kind: 'parameter', node: scope, index, ...found };
        }
      }
    }
    if (scope.type === 'ForStatement' && scope['init']) {
      return this.declared(scope['init'] as Node, name);
    }
    if (scope.type === 'ForOfStatement') {
      const [declarator] = (scope['left'] as Node)['declarations'] as Node[];
      const found = declarator && pathTo(name, declarator['id'] as Node);
      return found && { kind: 'element', node: scope['right'] as Node, index: 0, ...found };
    }
    for (const statement of statementsOf(scope)) {
      const found = this.declared(statement, name);
      if (found) {
        return found;
      }
    }
    return undefined;
  }

  private declared(statement: Node, name: string): Binding | undefined {
    const declaration = statement.type === 'ExportDeclaration' ? (statement['declaration'] as Node) : statement;
    if (declaration.type === 'FunctionDeclaration' && nameOf(declaration['identifier']) === name) {
      return { kind: 'function', node: declaration, index: 0, path: [], type: undefined };
    }
    if (declaration.type === 'VariableDeclaration') {
      for (const { id, init } of declaration['declarations'] as { id: Node; init: Node | null }[]) {
        const found = init && pathTo(name, id);
        if (found) {
          return { kind: 'variable', node: init, index: 0, ...found };
        }
      }
    }
    return declaration.type === 'ImportDeclaration' ? this.imported(declaration, name) : undefined;
  }

  private imported(declaration: Node, name: string): Binding | undefined {
    for (const specifier of declaration['specifiers'] as Node[]) {
      if (nameOf(specifier['local']) === name) {
        const from = String((declaration['source'] as Node)['value']);
        const file = join(dirname(this.sourceOf(declaration).file), from.replace(/\.js$/, '.ts'));
        const source = this.sources.find((each) => each.file === file);
        return source && this.bindingIn(source.tree, nameOf(specifier['imported']) ?? name);
      }
    }
    return undefined;
  }
}

/** What each node stands in, and the file of each tree. */
const parents = new WeakMap<Node, Node>();
const files = new WeakMap<Node, Source>();
const sources = new Map<string, Source>();

/** Each text once, however many programs it is part of. */
function parsed(file: string, text: string): Source {
  const key = `${file}\n${text}`;
  const source = sources.get(key) ?? parse(file, text);
  sources.set(key, source);
  return source;
}

function parse(file: string, text: string): Source {
  const bytes = Buffer.from(text);
  const tree = parseSync(text, { syntax: 'typescript', decorators: true }) as unknown as Node;
  // Positions count bytes, go on from one file to the next, and end with the last token.
  const offset = (tree.span?.end ?? 0) - Buffer.byteLength(text.trimEnd());
  const nodes: Node[] = [];
  const visit = (node: Node) => {
    nodes.push(node);
    for (const child of childrenOf(node)) {
      parents.set(child, node);
      visit(child);
    }
  };
  visit(tree);
  const source: Source = {
    file,
    tree,
    nodes,
    describe: ({ span }) => {
      const from = (span?.start ?? 0) - offset;
      const line = bytes.subarray(0, from).toString().split('\n').length;
      const code = bytes.subarray(from, (span?.end ?? 0) - offset).toString();
      return `${file}:${line} ${code.replaceAll(/\s+/g, ' ')}`;
    },
  };
  files.set(tree, source);
  return source;
}

function childrenOf(node: Node): Node[] {
  return Object.entries(node).flatMap(([key, value]) => (key === 'span' ? [] : childrenIn(value)));
}

function childrenIn(value: unknown): Node[] {
  if (Array.isArray(value)) {
    return value.flatMap(childrenIn);
  }
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  // Arguments and declarators stand in objects without a type of their own.
  return 'type' in value ? [value as Node] : Object.values(value).flatMap(childrenIn);
}

export function isFunction({ type }: Node): boolean {
  return [
    'ArrowFunctionExpression',
    'FunctionExpression',
    'FunctionDeclaration',
    'ClassMethod',
    'PrivateMethod',
    'Constructor',
  ].includes(type);
}

/** A method's parameters and body stand one level below. */
function inner(node: Node): Node {
  return (node['function'] as Node | undefined) ?? node;
}

export function parametersOf(node: Node): Node[] {
  return (inner(node)['params'] as Node[]).map((parameter) => {
    const pattern = (parameter['pat'] ?? parameter['param'] ?? parameter) as Node;
    return pattern.type === 'TsParameterProperty' ? (pattern['param'] as Node) : pattern;
  });
}

/** The expressions a function returns, and one that is declared a `Generator` yields; an `Operation` yields statements. */
export function returnsOf(node: Node): Node[] {
  const body = inner(node)['body'] as Node | null;
  if (!body) {
    return [];
  }
  const returned = ['ReturnStatement', ...(isGenerator(node) ? ['YieldExpression'] : [])];
  return body.type.endsWith('Body') || body.type === 'BlockStatement' ? [...givenIn(body, returned)] : [body];
}

function isGenerator(node: Node): boolean {
  const { typeAnnotation } = (inner(node)['returnType'] ?? {}) as { typeAnnotation?: Node };
  return nameOf(typeAnnotation?.['typeName']) === 'Generator';
}

function* givenIn(node: Node, types: readonly string[]): Generator<Node> {
  if (types.includes(node.type)) {
    if (node['argument']) {
      yield node['argument'] as Node;
    }
    return;
  }
  for (const child of childrenOf(node)) {
    if (!isFunction(child)) {
      yield* givenIn(child, types);
    }
  }
}

export function nameOf(node: unknown): string | undefined {
  const { type, value } = (node ?? {}) as Node;
  return ['Identifier', 'StringLiteral', 'PrivateName'].includes(type) ? (value as string) : undefined;
}

/** The name of a declared type. */
export function typeNameOf(pattern: Node): string | undefined {
  const annotation = (pattern['typeAnnotation'] as Node | null)?.['typeAnnotation'] as Node | undefined;
  return nameOf(annotation?.['typeName']);
}

type Way = Pick<Binding, 'path' | 'type'>;

/** The way to a name in a pattern. */
function pathTo(name: string, pattern: Node): Way | undefined {
  const below = (key: string | number, part: Node): Way | undefined => {
    const found = pathTo(name, part);
    return found && { path: [key, ...found.path], type: typeNameOf(pattern) };
  };
  switch (pattern.type) {
    case 'Identifier':
      return nameOf(pattern) === name ? { path: [], type: typeNameOf(pattern) } : undefined;
    case 'AssignmentPattern':
      return pathTo(name, pattern['left'] as Node);
    case 'ArrayPattern':
      return firstOf((pattern['elements'] as (Node | null)[]).map((part, index) => () => part && below(index, part)));
    case 'ObjectPattern':
      return firstOf(
        (pattern['properties'] as Node[]).map(
          (property) => () =>
            property.type === 'RestElement'
              ? undefined
              : (below(nameOf(property['key']) ?? '', (property['value'] ?? property['key']) as Node) ??
                (nameOf(property['key']) === name && property.type === 'AssignmentPatternProperty'
                  ? { path: [name], type: typeNameOf(pattern) }
                  : undefined)),
        ),
      );
    default:
      return undefined;
  }
}

function firstOf(finds: readonly (() => Way | null | undefined)[]): Way | undefined {
  for (const find of finds) {
    const found = find();
    if (found) {
      return found;
    }
  }
  return undefined;
}

function statementsOf(scope: Node): Node[] {
  const statements = scope['stmts'] ?? (scope.type === 'Module' ? scope['body'] : undefined);
  return Array.isArray(statements) ? (statements as Node[]) : [];
}
