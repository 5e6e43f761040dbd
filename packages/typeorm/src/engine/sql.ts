/** A value that a statement binds to a `?`. */
export type Parameter = string | number | Buffer | DriverLiteral | null;

/** A value that mysql2 writes into the text as a literal of its own making. */
export interface DriverLiteral {
  toSqlString(): string;
}

declare const brand: unique symbol;

/**
 * SQL text with the values of its `?`s: a whole statement, a condition or an expression.
 *
 * Only the functions of this file make one, from literals in the source, identifiers and other fragments. So no value
 * can become part of the text, and the compiler refuses a plain string or object where a fragment is expected.
 */
export interface Fragment {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
  /** Whether the same text is sent again and again, so that preparing it pays. */
  readonly recurs: boolean;
  readonly [brand]: true;
}

class SqlFragment implements Fragment {
  declare readonly [brand]: true;

  constructor(
    readonly sql: string,
    readonly parameters: readonly Parameter[],
    readonly recurs: boolean,
  ) {}
}

function isFragment(value: Fragment | Parameter): value is Fragment {
  return value instanceof SqlFragment;
}

function make(text: string, parameters: readonly Parameter[], recurs = false): Fragment {
  return new SqlFragment(text, parameters, recurs);
}

const NONE: readonly Parameter[] = [];

/**
 * SQL from a template: embedded fragments become part of the text, every other value is bound to a `?`.
 *
 *     sql`SELECT id FROM ${tables.job} WHERE queue = ${queue} AND ${condition}`
 */
export function sql(texts: TemplateStringsArray, ...values: readonly (Fragment | Parameter)[]): Fragment {
  let text = texts[0] as string;
  let parameters: Parameter[] | undefined;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] as Fragment | Parameter;
    if (isFragment(value)) {
      text += value.sql;
      if (value.parameters.length > 0) {
        parameters = parameters === undefined ? [...value.parameters] : parameters.concat(value.parameters);
      }
    } else {
      text += '?';
      (parameters ??= []).push(value);
    }
    text += texts[index + 1] as string;
  }
  return make(text, parameters ?? NONE);
}

/** Nothing: for a part of a statement that is left out. */
sql.empty = make('', NONE);

/** A `?` whose value comes later: see `sql.bind`. */
sql.open = make('?', NONE);

/** A whole number as digits, for places where the servers take no `?`, such as LIMIT in a prepared statement. */
sql.integer = (value: number): Fragment => {
  if (!Number.isSafeInteger(value)) {
    throw new TypeError(`${value} is not a whole number.`);
  }
  return make(String(value), NONE);
};

/**
 * The name of a table, a column or an index, in parts such as database and table.
 *
 * @param quote what the database puts around names; it is doubled inside them.
 */
sql.identifier = (parts: readonly string[], quote: '`' | '"'): Fragment =>
  make(parts.map((part) => `${quote}${part.replaceAll(quote, quote + quote)}${quote}`).join('.'), NONE);

/** Fragments one after another. */
sql.join = (fragments: readonly Fragment[], separator: Fragment = COMMA): Fragment =>
  make(
    fragments.map((fragment) => fragment.sql).join(separator.sql),
    fragments.flatMap(({ parameters }) => parameters),
  );

/** Values of a list: `?, ?, ?`. */
sql.list = (values: readonly Parameter[]): Fragment => make(marks(values.length), values);

/** So many `?`s for values that come later: see `sql.bind`. */
sql.openList = (count: number): Fragment => make(marks(count), NONE);

/**
 * A statement of many rows of the same few texts: joins the texts, whose places are open, and binds all values in
 * order. It makes no object for each row.
 */
sql.rows = (rows: readonly Fragment[], parameters: readonly Parameter[]): Fragment =>
  make(rows.map((row) => row.sql).join(','), parameters);

/** Values for the open places of a fragment. */
sql.bind = (fragment: Fragment, parameters: readonly Parameter[]): Fragment =>
  make(fragment.sql, parameters, fragment.recurs);

/** The statement after a prefix without values. It does not recur. */
sql.prefix = (statement: Fragment, prefix: Fragment): Fragment =>
  make(prefix.sql + statement.sql, statement.parameters);

/** Whether a statement only reads, if perhaps with locks. */
sql.isSelect = ({ sql: text }: Fragment): boolean => /^\s*SELECT\b/.test(text);

/** The statement, marked as one whose text is sent again and again. */
sql.recurring = (statement: Fragment): Fragment => make(statement.sql, statement.parameters, true);

const COMMA = make(', ', NONE);

function marks(count: number): string {
  return count === 0 ? '' : `?${', ?'.repeat(count - 1)}`;
}
