import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core';

import { obtainBrowser } from '../servers/browsers.js';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** The widths of a laptop and of a phone. */
export const WIDTHS = [1280, 375] as const;

/** How a page is looked at. */
export interface Look extends BrowserContextOptions {
  readonly theme?: Theme;
  readonly width?: (typeof WIDTHS)[number];
  /** The sets of mock answers: see packages/dashboard/pages/mock. */
  readonly mode?: 'empty' | 'broken' | 'reader' | 'silent' | 'many';
}

/** A page of a browser that notes what goes wrong. */
export interface Visit {
  readonly page: Page;
  /** Errors of the console, and thus violations of the policy, and uncaught errors. */
  readonly errors: readonly string[];
}

/** The Chromium of a test file. */
export class TestBrowser {
  private constructor(private readonly browser: Browser) {}

  static async start(): Promise<TestBrowser> {
    const { program, environment } = await obtainBrowser('chromium');
    const env = { ...process.env, ...environment } as Record<string, string>;
    return new TestBrowser(await chromium.launch({ executablePath: program, args: FLAGS, env }));
  }

  /** Opens an address, in a window of its own. */
  async visit(url: string, { theme = 'light', width = 1280, mode, ...others }: Look = {}): Promise<Visit> {
    const context = await this.browser.newContext({
      colorScheme: theme,
      viewport: { width, height: 800 },
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
      ...(width < 800 && { isMobile: true, hasTouch: true }),
      ...others,
    });
    if (mode) {
      await context.addCookies([{ name: 'mock', value: mode, url: new URL('/', url).href }]);
    }
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.text().includes('Content Security Policy')) {
        errors.push(message.text());
      }
    });
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(url);
    return { page, errors };
  }

  /** Closes all windows. */
  async closeVisits(): Promise<void> {
    await Promise.all(this.browser.contexts().map((context) => context.close()));
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}

/** Waits until the expected text is there. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}
