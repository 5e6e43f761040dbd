/*
 * What the open page of the overview asks for: its stream, the queues with each overview, and beside them the series.
 * It reads the answers and forgets them: a browser is on another machine.
 */
const API = process.env.API ?? '';
/** The first page of queues, which it asks for again after each overview of the stream. */
const QUEUES = 'queues?limit=50';
/** What the page asks for when it opens. */
const AT_FIRST = ['live', 'me', 'overview', QUEUES, 'series?span=hour'];
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

/** Whether the queues are asked for: a page has one such request at a time. */
let asksForQueues = false;

async function readQueues(signal: AbortSignal): Promise<void> {
  if (!asksForQueues) {
    asksForQueues = true;
    await read(QUEUES, signal).finally(() => (asksForQueues = false));
  }
}

async function read(path: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${API}/${path}`, { signal });
  if (response.status !== 200 || !response.body) {
    throw new Error(`${path}: ${response.status}`);
  }
  const reader = response.body.getReader();
  for (let isOver = false; !isOver;) {
    const { done, value } = await reader.read();
    isOver = done;
    if (path === 'live' && Buffer.from(value ?? []).includes('event: overview')) {
      void readQueues(signal).catch((error: unknown) => endWith(error, signal));
    }
  }
}

/** Whatever else than that the page was closed. */
function endWith(error: unknown, signal: AbortSignal): void {
  if (!signal.aborted) {
    console.error(error);
    process.exit(1);
  }
}
