import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ROOT } from './published-packages.js';

/** One thing that a reader of a walk does, or sees. */
export type WalkStep =
  | { readonly kind: 'write'; readonly path: string; readonly code: string }
  | { readonly kind: 'run'; readonly commands: readonly string[] }
  /** The expected output of a command or a server; `…` matches anything. */
  | { readonly kind: 'see'; readonly text: string };

/**
 * The steps of a document. TypeScript whose first line is a comment with a path is a file to write. A block of `sh` is
 * commands to run, a block of text is the expected output.
 */
export async function walkOf(document: string): Promise<WalkStep[]> {
  const text = await readFile(join(ROOT, document), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, block = '']): WalkStep => {
    if (language === 'sh') {
      return { kind: 'run', commands: block.trim().split('\n') };
    }
    if (language === 'text') {
      return { kind: 'see', text: block.trim() };
    }
    const path = /^\/\/ (\S+)\n/.exec(block)?.[1];
    if (language !== 'ts' || path === undefined) {
      throw new Error(`Unknown kind of block in ${document}:\n${block}`);
    }
    return { kind: 'write', path, code: block };
  });
}
