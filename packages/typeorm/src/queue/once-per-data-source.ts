import type { DataSource } from 'typeorm';

/** Returns a function that makes one object for each data source, at its first call, and returns the same one later. */
export function oncePerDataSource<Kind extends object>(
  make: (dataSource: DataSource) => Kind,
): (dataSource: DataSource) => Kind {
  const made = new WeakMap<DataSource, Kind>();
  return (dataSource) => {
    const kind = made.get(dataSource) ?? make(dataSource);
    made.set(dataSource, kind);
    return kind;
  };
}
