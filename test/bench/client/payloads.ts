import type { BenchPayload } from '../subject.js';

const TEXT = 'x'.repeat(120);

export function payload(number: number): BenchPayload {
  return { number, text: TEXT };
}

export function payloads(count: number): BenchPayload[] {
  return Array.from({ length: count }, (_, number) => payload(number));
}
