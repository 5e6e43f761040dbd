/*
 * What the open page of the overview asks for: its stream, and beside it the series. It reads the answers and forgets
 * them: a browser is on another machine.
 */
const API = process.env.API ?? '';
/** What the page asks for when it opens. */
const AT_FIRST = ['live', 'me', 'overview', 'series?span=hour'];
/** What it asks for again, and how often, in ms. */
const AGAIN = 'series?span=hour';
const EVERY = 10_000;

let page: AbortController | undefined;

process.on('message', (message) => {
  page?.abort();
  page = undefined;
  if (message === 'open') {
    page = new AbortController();
    open(page.signal);
  }
});
process.send?.('ready');

function open(signal: AbortSignal): void {
  const ask = (path: string) => void read(path, signal).catch((error: unknown) => endWith(error, signal));
  AT_FIRST.forEach(ask);
  const timer = setInterval(() => ask(AGAIN), EVERY);
  signal.addEventListener('abort', () => clearInterval(timer));
}

async function read(path: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${API}/${path}`, { signal });
  if (response.status !== 200 || !response.body) {
    throw new Error(`${path}: ${response.status}`);
  }
  const reader = response.body.getReader();
  for (let isOver = false; !isOver;) {
    isOver = (await reader.read()).done;
  }
}

/** Whatever else than that the page was closed. */
function endWith(error: unknown, signal: AbortSignal): void {
  if (!signal.aborted) {
    console.error(error);
    process.exit(1);
  }
}
