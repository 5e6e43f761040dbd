import type { DataSource, EntitySubscriberInterface } from 'typeorm';

/**
 * Subscribes to a data source, once. A data source that was destroyed and initialized again has lost its subscribers.
 */
export function subscribe(dataSource: DataSource, subscriber: EntitySubscriberInterface): void {
  if (!dataSource.subscribers.includes(subscriber)) {
    dataSource.subscribers.push(subscriber);
  }
}
