import { withLiterals } from '../engine/mysql/connections/through-client.js';
import type { ClientAnswer, ClientTransaction } from '../engine/transaction-handle.js';
import { InvalidOptionError, TransactionEndedError } from '../errors/index.js';

export type { ClientTransaction } from '../engine/transaction-handle.js';

const CLIENT = 'Prisma';

/** The members of an interactive transaction of Prisma. Its type is generated in your application. */
export interface PrismaTransaction {
  /** Sends a statement with rows. */
  $queryRawUnsafe(query: string, ...values: never[]): PromiseLike<unknown>;
  /** Sends a change. */
  $executeRawUnsafe(query: string, ...values: never[]): PromiseLike<number>;
}

/** Statements with rows, perhaps with settings of MariaDB. */
const HAS_ROWS = /^\s*(?:SET STATEMENT .+? FOR )?\s*\(*(?:SELECT|WITH)\b/;

/** The error codes of Prisma for a transaction that has ended, or timed out. */
const ENDED = new Set(['P2028', 'P2034']);

/**
 * An interactive transaction of Prisma 7 with its adapter for MariaDB, for the option `via`. The adapter is also the
 * one for MySQL.
 *
 * @example
 * ```ts
 * await prisma.$transaction(async (tx) => {
 *   await tx.order.create({ data: order });
 *   await queue.enqueue(sendMail, { to: order.email }, { via: prismaTransaction(tx) });
 * });
 * ```
 *
 * @param tx must lead to the database of the queue.
 * @throws InvalidOptionError if it is no interactive transaction.
 */
export function prismaTransaction(tx: PrismaTransaction): ClientTransaction {
  if (typeof tx?.$executeRawUnsafe !== 'function' || '$connect' in tx) {
    throw new InvalidOptionError('tx', `[${typeof tx}]`, 'an interactive transaction of Prisma');
  }
  return {
    client: CLIENT,
    session: tx,
    isEnded: false,
    run: async (text, values): Promise<ClientAnswer> => {
      const [sql, bound] = withLiterals(text, values);
      try {
        return HAS_ROWS.test(sql)
          ? { rows: ((await tx.$queryRawUnsafe(sql, ...(bound as never[]))) as object[]).map(plainRow), affected: 0 }
          : { rows: [], affected: await tx.$executeRawUnsafe(sql, ...(bound as never[])) };
      } catch (error) {
        throw translated(error);
      }
    },
  };
}

/** As mysql2 reads rows: bytes as buffers, big numbers and decimals as texts. */
function plainRow(row: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([column, value]: [string, unknown]) => [column, plain(value)]));
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) {
    return Buffer.from(value);
  }
  const isDecimal = typeof value === 'object' && value !== null && 'toFixed' in value;
  return isDecimal || typeof value === 'bigint' ? (value as { toString(): string }).toString() : value;
}

/** The error of the server behind one of Prisma, whose message shows the statement. */
function translated(error: unknown): unknown {
  const { code, meta } = error as {
    readonly code?: string;
    readonly meta?: {
      readonly driverAdapterError?: { readonly cause?: { originalCode?: string; originalMessage?: string } };
    };
  };
  const { originalCode, originalMessage } = meta?.driverAdapterError?.cause ?? {};
  if (originalCode !== undefined) {
    return Object.assign(new Error(originalMessage, { cause: undefined }), { errno: Number(originalCode) });
  }
  return ENDED.has(code ?? '') ? new TransactionEndedError(CLIENT, error) : error;
}
