import { EventEmitter } from 'node:events';

import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import type { Overview } from '../contract/index.js';
import { LiveStreams } from './live-streams.js';
import type { OverviewListener } from './overview-reader.js';

const OVERVIEW = { queues: [] } as unknown as Overview;

/** A response that notes what is written. */
class FakeResponse extends EventEmitter {
  written: string[] = [];
  writableNeedDrain = false;
  writableEnded = false;
  destroyed = false;
  writeHead = () => this;
  flushHeaders = () => undefined;
  write = (text: string) => this.written.push(text) > 0;
  end = () => {
    this.writableEnded = true;
    this.emit('close');
  };
}

let listeners: Set<OverviewListener>;
let response: FakeResponse;
let open: (response: FakeResponse) => void;
beforeEach(() => {
  jest.useFakeTimers();
  listeners = new Set();
  response = new FakeResponse();
  const overview = {
    listen: (listener: OverviewListener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const streams = new LiveStreams();
  // Of both it uses no more than there is here.
  const stream = streams.stream.bind(streams) as (...given: unknown[]) => void;
  open = (each) => stream(each, { overview });
  open(response);
});
afterEach(() => {
  jest.useRealTimers();
});

test('a stream on which nothing is said shows that it lives, and ends after five minutes', () => {
  jest.advanceTimersByTime(15_000);
  expect(response.written).toEqual([': here\n\n']);
  jest.advanceTimersByTime(4 * 60_000);
  expect(response.written).toHaveLength(17);
  expect(listeners.size).toBe(1);
  jest.advanceTimersByTime(45_000);
  expect(response.writableEnded).toBe(true);
  expect(listeners.size).toBe(0);
  const written = response.written.length;
  jest.advanceTimersByTime(60_000);
  expect(response.written).toHaveLength(written);
});

test('a page that reads too slowly misses events, and nothing is kept for it', () => {
  const [listener] = [...listeners] as [OverviewListener];
  listener.onOverview(OVERVIEW);
  response.writableNeedDrain = true;
  listener.onOverview(OVERVIEW);
  listener.onError(new Error('secret: the password'));
  jest.advanceTimersByTime(15_000);
  expect(response.written).toHaveLength(1);
  response.writableNeedDrain = false;
  listener.onError(new Error('secret: the password'));
  expect(response.written[1]).toMatch(/^event: problem\ndata: \{"type":"tablequeue:unexpected".*\}\n\n$/);
  expect(response.written[1]).not.toContain('secret');
});

test('a page that has gone before its stream begins is not listened for', () => {
  const gone = new FakeResponse();
  gone.destroyed = true;
  open(gone);
  expect(listeners.size).toBe(1);
  jest.advanceTimersByTime(15_000);
  expect(gone.written).toEqual([]);
});
