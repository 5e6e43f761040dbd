/** Groups items by a key, as `Map.groupBy` does, which Node 20 lacks. */
export function groupBy<T, Key>(all: Iterable<T>, keyOf: (each: T) => Key): Map<Key, [T, ...T[]]> {
  const groups = new Map<Key, [T, ...T[]]>();
  for (const each of all) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group) {
      group.push(each);
    } else {
      groups.set(key, [each]);
    }
  }
  return groups;
}
