import { EventEmitter } from 'node:events';

import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import type { Overview } from '../contract/index.js';
import { LiveStreams } from './live.streams.js';
import type { OverviewListener } from '../databases/overview.reader.js';

const OVERVIEW = { problems: [] } as unknown as Overview;

/** A response that records the written texts. */
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
    subscribe: (listener: OverviewListener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const streams = new LiveStreams();
  // The stream uses only these members.
  const stream = streams.stream.bind(streams) as (...given: unknown[]) => void;
  open = (each) => stream(each, { overview });
  open(response);
});
afterEach(() => {
  jest.useRealTimers();
});

test('an idle stream sends keep-alive comments, and ends after five minutes', () => {
  jest.advanceTimersByTime(15_000);
  expect(response.written).toEqual([': keep-alive\n\n']);
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

test('a page that reads too slowly misses events, and nothing is buffered for it', () => {
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

test('a page that disconnected before its stream starts gets no subscription', () => {
  const gone = new FakeResponse();
  gone.destroyed = true;
  open(gone);
  expect(listeners.size).toBe(1);
  jest.advanceTimersByTime(15_000);
  expect(gone.written).toEqual([]);
});
