import { describe, expect, test } from '@jest/globals';

import { LinkedList } from './linked-list.js';

class Entry {
  previous: Entry | undefined;
  next: Entry | undefined;

  constructor(readonly name: string) {}
}

const names = (list: LinkedList<Entry>) => [...list].map(({ name }) => name).join('');

describe('a linked list', () => {
  test('has what was added and not removed, in its order', () => {
    const list = new LinkedList<Entry>();
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => new Entry(name)) as [Entry, Entry, Entry, Entry];
    [a, b, c].forEach((entry) => list.add(entry));
    expect([names(list), list.size]).toEqual(['abc', 3]);
    list.remove(b);
    expect([names(list), list.size]).toEqual(['ac', 2]);
    list.add(b);
    list.remove(a);
    list.add(d);
    expect([names(list), list.size]).toEqual(['cbd', 3]);
    [d, c, b].forEach((entry) => list.remove(entry));
    expect([names(list), list.size]).toEqual(['', 0]);
    list.add(a);
    expect(names(list)).toBe('a');
  });

  test('lets the one that has just come be removed, and holds on to nothing that is gone', () => {
    const list = new LinkedList<Entry>();
    ['a', 'b', 'c'].forEach((name) => list.add(new Entry(name)));
    const seen: Entry[] = [];
    for (const entry of list) {
      seen.push(entry);
      list.remove(entry);
    }
    expect(seen.map(({ name, previous, next }) => [name, previous, next])).toEqual([
      ['a', undefined, undefined],
      ['b', undefined, undefined],
      ['c', undefined, undefined],
    ]);
    expect(list.size).toBe(0);
  });
});
