import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Codec, TableQueue, type TableQueueOptions } from '@tablequeue/typeorm';

import type { Workbench } from './workbench.js';

/** AES-256-GCM with a key made of a word. */
export function aes(id: string, word = id): Codec {
  const key = createHash('sha256').update(word).digest();
  return {
    id,
    encode: (text) => {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
    },
    decode: (text) => {
      const bytes = Buffer.from(text, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
    },
  };
}

/** The same codec, whose functions take a while. */
export function slow(codec: Codec, milliseconds = 5): Codec {
  return {
    id: codec.id,
    encode: async (text, kind) => {
      await sleep(milliseconds);
      return codec.encode?.(text, kind);
    },
    decode: async (text, kind) => {
      await sleep(milliseconds);
      return codec.decode(text, kind);
    },
  };
}

/** A codec whose functions can be replaced; those that are left out do not change the text. */
export function made(id: string, functions: Partial<Pick<Codec, 'encode' | 'decode'>>): Codec {
  return { id, encode: (text) => text, decode: (text) => text, ...functions };
}

/** Another queue on the database of a workbench. */
export function queueWith(bench: Workbench, codec: TableQueueOptions['codec'], options: TableQueueOptions = {}) {
  return new TableQueue(bench.dataSource, {
    clock: bench.clock,
    logger: bench.logger,
    ...(codec && { codec }),
    ...options,
  });
}

/** The columns whose values contain a text, of all tables: `tq_job.payload`. */
export async function columnsWith(bench: Workbench, text: string): Promise<string[]> {
  const found = new Set<string>();
  for (const { tableName } of bench.dataSource.entityMetadatas) {
    const rows: Record<string, unknown>[] = await bench.dataSource.query(`SELECT * FROM ${tableName}`);
    for (const row of rows) {
      for (const [column, value] of Object.entries(row)) {
        const texts = Buffer.isBuffer(value) ? [value.toString('latin1'), value.toString('utf8')] : [String(value)];
        if (texts.some((each) => each.includes(text))) {
          found.add(`${tableName}.${column}`);
        }
      }
    }
  }
  return [...found].sort();
}
