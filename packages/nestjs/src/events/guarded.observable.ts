import { Observable, type Observer, type Operator, Subscriber, type Subscription, type TeardownLogic } from 'rxjs';

type NextOrObserver<T> = Partial<Observer<T>> | ((value: T) => void) | null;

/**
 * An observable whose observers cannot end the process. RxJS rethrows the error of an observer in a timer, where it
 * cannot be caught, and ignores the rejection of an asynchronous observer. Here both are reported instead. An
 * operator's error is reported too, if the observer handles none.
 *
 * This also holds for the results of `pipe`, but not for combinations such as `merge(a, b)`.
 */
export class GuardedObservable<T> extends Observable<T> {
  constructor(
    private readonly report: (error: unknown) => void,
    subscribe?: (subscriber: Subscriber<T>) => TeardownLogic,
  ) {
    super(subscribe);
  }

  /** What `pipe` calls, as in RxJS's own subclasses. */
  override lift<R>(operator?: Operator<T, R>): Observable<R> {
    const lifted = new GuardedObservable<R>(this.report);
    lifted.source = this;
    lifted.operator = operator;
    return lifted;
  }

  override subscribe(observerOrNext?: NextOrObserver<T>): Subscription;
  /** @deprecated RxJS takes one observer instead. */
  override subscribe(
    next?: NextOrObserver<T>,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription;
  override subscribe(
    observerOrNext?: NextOrObserver<T>,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription {
    if (observerOrNext instanceof Subscriber) {
      // An operator: its observer is guarded when it subscribes.
      return super.subscribe(observerOrNext);
    }
    const observer =
      typeof observerOrNext === 'object' && observerOrNext !== null
        ? observerOrNext
        : { next: observerOrNext ?? undefined, error: error ?? undefined, complete: complete ?? undefined };
    return super.subscribe({
      next: (value) => this.guard(() => observer.next?.(value)),
      error: (reason) => (observer.error ? this.guard(() => observer.error?.(reason)) : this.report(reason)),
      complete: () => this.guard(() => observer.complete?.()),
    });
  }

  private guard(call: () => unknown): void {
    try {
      const result = call();
      if (result instanceof Promise) {
        result.catch(this.report);
      }
    } catch (error) {
      this.report(error);
    }
  }
}
