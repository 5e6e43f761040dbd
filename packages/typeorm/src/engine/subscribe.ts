import type { DataSource, EntitySubscriberInterface } from 'typeorm';

/** Subscribes to a data source, once. One that was destroyed and initialised again has lost its subscribers. */
export function subscribe(dataSource: DataSource, subscriber: EntitySubscriberInterface): void {
  if (!dataSource.subscribers.includes(subscriber)) {
    dataSource.subscribers.push(subscriber);
  }
}
