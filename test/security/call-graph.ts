import { type Node, type Program, isFunction, nameOf, parametersOf } from './program.js';
import { argumentsOf, calleeName, isOfThis } from './sql-syntax.js';

/** What calls what in a program, by names and scopes, and what variables and members are given. */
export class CallGraph {
  private readonly calls = new Map<string, Node[]>();
  private readonly assignments = new Map<string, { left: Node; right: Node }[]>();
  private readonly members = new Map<string, Node[]>();

  constructor(private readonly program: Program) {
    for (const node of program.nodes) {
      this.index(node);
    }
  }

  private index(node: Node): void {
    if (node.type === 'CallExpression' || node.type === 'NewExpression') {
      add(this.calls, calleeName(node['callee'] as Node), node);
    } else if (node.type === 'ClassMethod' || node.type === 'PrivateMethod') {
      add(this.members, nameOf(node['key']), node);
    } else if ((node.type === 'ClassProperty' || node.type === 'KeyValueProperty') && node['value']) {
      add(this.members, nameOf(node['key']), node['value'] as Node);
    } else if (node.type === 'AssignmentExpression') {
      const [left, right] = [node['left'] as Node, node['right'] as Node];
      add(this.members, nameOf(left['property']), right);
      add(this.assignments, nameOf(left), { left, right });
    }
  }

  /** What fields, getters and methods by a name are, in the class around a node. */
  membersOf(property: string, use: Node): Node[] {
    return (this.members.get(property) ?? []).filter((value) => this.classOf(value) === this.classOf(use));
  }

  /** Where something is pushed to a list. */
  pushesTo(list: Node): Node[] {
    const scope = this.program.enclosing(list, ['FunctionDeclaration', 'ClassMethod', 'Module']);
    return (this.calls.get('push') ?? []).filter(
      (call) =>
        nameOf((call['callee'] as Node)['object']) === nameOf(list) &&
        this.program.enclosing(call, ['FunctionDeclaration', 'ClassMethod', 'Module']) === scope,
    );
  }

  /** The functions a call may mean: the one of that name there, or every method of that name. */
  calledBy(call: Node): Node[] {
    const callee = call['callee'] as Node;
    if (callee.type === 'Identifier') {
      const binding = this.program.resolve(nameOf(callee) as string, callee);
      if (binding && binding.path.length === 0) {
        return isFunction(binding.node) && binding.kind !== 'parameter' ? [binding.node] : [];
      }
    }
    const members = (this.members.get(calleeName(callee) ?? '') ?? []).filter(isFunction);
    return isOfThis(callee) ? members.filter((member) => this.classOf(member) === this.classOf(call)) : members;
  }

  private classOf(node: Node): Node | undefined {
    return this.program.enclosing(node, ['ClassDeclaration', 'ClassExpression']);
  }

  /** The list whose elements a function is called with. */
  iteratedBy(called: Node): Node | undefined {
    const parent = this.program.parentOf(called);
    const callee = parent?.type === 'CallExpression' ? (parent['callee'] as Node) : called;
    const isEach = callee !== called && ['map', 'flatMap', 'filter', 'forEach'].includes(calleeName(callee) ?? '');
    return isEach ? (callee['object'] as Node) : undefined;
  }

  /** What is given for a parameter, by every call; undefined where calls cannot be found. */
  argumentsFor(called: Node, index: number): Node[] | undefined {
    const parent = this.program.parentOf(called);
    if (parent?.type === 'CallExpression' && parent['callee'] !== called) {
      return this.argumentsForCallback(parent, called, index);
    }
    const fallback = parametersOf(called)[index]?.['right'] as Node | undefined;
    return this.callsOf(called)
      ?.map((call) => argumentsOf(call)[index] ?? fallback)
      .filter((node) => node !== undefined);
  }

  private callsOf(called: Node): Node[] | undefined {
    const parent = this.program.parentOf(called);
    if (called.type === 'Constructor') {
      const owner = this.program.enclosing(called, ['ClassDeclaration']);
      return this.calls.get(nameOf(owner?.['identifier']) ?? '');
    }
    const name = nameOf(called['identifier'] ?? called['key'] ?? parent?.['id'] ?? parent?.['key']);
    const isMember =
      called.type.endsWith('Method') || parent?.type === 'ClassProperty' || parent?.type === 'KeyValueProperty';
    return this.calls.get(name ?? '')?.filter((call) => {
      const callee = call['callee'] as Node;
      if (isOfThis(callee) || called['accessibility'] === 'private') {
        return this.classOf(call) === this.classOf(called);
      }
      return callee.type === 'Identifier' ? !isMember && this.calledBy(call).includes(called) : isMember;
    });
  }

  /** Of a function that is handed to a call: an element of what is mapped, or what the called function gives it. */
  private argumentsForCallback(call: Node, callback: Node, index: number): Node[] | undefined {
    const place = argumentsOf(call).indexOf(callback);
    const calls = this.callsOfParameter(call, place);
    return calls.length > 0 ? calls.flatMap((each) => argumentsOf(each)[index] ?? []) : undefined;
  }

  /** Where a function that is handed to a call is called, by the called one or by one that it hands it to. */
  private callsOfParameter(call: Node, place: number): Node[] {
    return this.calledBy(call).flatMap((called) => {
      const name = nameOf(parametersOf(called)[place]) ?? '';
      const isParameter = (node: Node) => nameOf(node) === name && this.program.resolve(name, node)?.node === called;
      const direct = (this.calls.get(name) ?? []).filter((each) => isParameter(each['callee'] as Node));
      const handedOn = [...this.calls.values()].flat().flatMap((each) => {
        const next = each === call ? -1 : argumentsOf(each).findIndex(isParameter);
        return next < 0 ? [] : this.callsOfParameter(each, next);
      });
      return [...direct, ...handedOn];
    });
  }

  /** What a variable is given later on. */
  assignedTo(use: Node): Node[] {
    const name = nameOf(use) as string;
    const declared = this.program.resolve(name, use)?.node;
    return (this.assignments.get(name) ?? [])
      .filter(({ left }) => this.program.resolve(name, left)?.node === declared)
      .map(({ right }) => right);
  }
}

function add<Value>(map: Map<string, Value[]>, name: string | undefined, value: Value): void {
  if (name !== undefined) {
    map.set(name, [...(map.get(name) ?? []), value]);
  }
}
