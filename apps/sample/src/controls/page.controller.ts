import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { Controller, Get, Header, StreamableFile } from '@nestjs/common';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; frame-ancestors 'none'";

/** Serves the page of the shop: three files, which load nothing from other origins. */
@Controller()
export class PageController {
  @Get()
  @Header('Content-Security-Policy', POLICY)
  page(): StreamableFile {
    return file('shop.html', 'text/html; charset=utf-8');
  }

  @Get('shop.css')
  style(): StreamableFile {
    return file('shop.css', 'text/css; charset=utf-8');
  }

  @Get('shop.js')
  script(): StreamableFile {
    return file('shop.js', 'text/javascript; charset=utf-8');
  }
}

function file(name: string, type: string): StreamableFile {
  return new StreamableFile(createReadStream(fileURLToPath(new URL(`../../page/${name}`, import.meta.url))), { type });
}
