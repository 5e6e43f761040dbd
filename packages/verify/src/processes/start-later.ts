import { sleepUnlessAborted } from '../timing.js';

/** How long to wait before another try, in ms. A fault may prevent a worker from connecting. */
const RETRY_DELAY = 200;

interface Stoppable {
  stop(): Promise<void>;
}

/** Starts something after some ms, and tries again until that succeeds. `stop` stops it, or prevents its start. */
export function startLater(ms: number, start: () => Promise<Stoppable>): Stoppable {
  const stopping = new AbortController();
  const { signal } = stopping;
  const tryToStart = async (): Promise<Stoppable | undefined> => {
    await sleepUnlessAborted(ms, signal);
    while (!signal.aborted) {
      try {
        return await start();
      } catch (error) {
        console.warn(`A worker cannot start yet: ${String(error)}`);
        await sleepUnlessAborted(RETRY_DELAY, signal);
      }
    }
    return undefined;
  };
  const started = tryToStart();
  return {
    async stop() {
      stopping.abort();
      await (await started)?.stop();
    },
  };
}
