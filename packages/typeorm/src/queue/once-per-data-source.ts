import type { DataSource } from 'typeorm';

/** Makes one of a kind for each data source, at its first use, which lives as long as the data source does. */
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
