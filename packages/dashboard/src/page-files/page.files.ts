import { createReadStream } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';

import { Injectable, type OnModuleInit, StreamableFile } from '@nestjs/common';

import folder from '../../folder.cjs';
import { MissingPagesError } from '../errors.js';

/** Vite builds the pages into this folder. */
const FOLDER = join(folder, 'dist/pages/');

/** The element of the page that is replaced. */
const BASE = /<base href="[^"]*" ?\/?>/;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

export interface PageFile {
  readonly type: string;
  /** Whether its name contains a hash of its content, so that it never changes. */
  readonly isImmutable: boolean;
  open(): StreamableFile;
}

/** The files of the pages: those in their folder when the application starts. */
@Injectable()
export class PageFiles implements OnModuleInit {
  private readonly files = new Map<string, PageFile>();
  private html = '';

  /** @throws MissingPagesError if the folder cannot be read. */
  async onModuleInit(): Promise<void> {
    try {
      this.html = await readFile(join(FOLDER, 'index.html'), 'utf8');
      for (const entry of await readdir(FOLDER, { recursive: true, withFileTypes: true })) {
        if (entry.isFile() && entry.name !== 'index.html') {
          const file = join(entry.parentPath, entry.name);
          this.files.set(file.slice(FOLDER.length).replaceAll('\\', '/'), toPageFile(file));
        }
      }
    } catch (error) {
      throw new MissingPagesError(FOLDER, error);
    }
  }

  /** @param path below the dashboard. It is looked up in the list of files, so it cannot lead out of the folder. */
  find(path: string): PageFile | undefined {
    return this.files.get(path);
  }

  /**
   * Returns the page, for every path that is not a file.
   *
   * @param base the path of the dashboard relative to the requested URL.
   */
  page(base: string): string {
    return this.html.replace(BASE, `<base href="${base}" />`);
  }
}

function toPageFile(file: string): PageFile {
  return {
    type: TYPES[extname(file)] ?? 'application/octet-stream',
    isImmutable: /[\\/]assets[\\/]/.test(file),
    open: () => new StreamableFile(createReadStream(file)),
  };
}
