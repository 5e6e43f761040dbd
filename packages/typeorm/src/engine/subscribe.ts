import type { DataSource, EntitySubscriberInterface } from 'typeorm';

const ours = new WeakSet<object>();

/**
 * Subscribes to a data source, once. A data source that was destroyed and initialized again has lost its subscribers.
 */
export function subscribe(dataSource: DataSource, subscriber: EntitySubscriberInterface): void {
  if (!dataSource.subscribers.includes(subscriber)) {
    ours.add(subscriber);
    dataSource.subscribers.push(subscriber);
  }
}

/** Whether the application logs or observes the statements on its data source. */
export function isObserved({ options, subscribers }: DataSource): boolean {
  return (
    Boolean(options.logging) ||
    typeof options.logger === 'object' ||
    options.maxQueryExecutionTime !== undefined ||
    subscribers.some((subscriber) => {
      return ('beforeQuery' in subscriber || 'afterQuery' in subscriber) && !ours.has(subscriber);
    })
  );
}
