import type { Metrics } from './client/task.js';
import { median, spread } from './statistics.js';

/** Everything that was measured: several values for each subject and metric, one for each round. */
export class Results {
  private readonly values = new Map<string, Map<string, number[]>>();

  add(subject: string, metrics: Metrics): void {
    const own = this.values.get(subject) ?? new Map<string, number[]>();
    this.values.set(subject, own);
    for (const [metric, value] of Object.entries(metrics)) {
      own.set(metric, [...(own.get(metric) ?? []), value]);
    }
  }

  get subjects(): string[] {
    return [...this.values.keys()];
  }

  metricsOf(subject: string): string[] {
    return [...(this.values.get(subject)?.keys() ?? [])];
  }

  /** The median of the rounds; NaN where nothing was measured. */
  median(subject: string, metric: string): number {
    return median(this.values.get(subject)?.get(metric) ?? []);
  }

  /**
   * The median of what each round gives, one subject to another: rounds are minutes apart, and the machine is not the
   * same then. NaN where nothing was measured.
   */
  ratio(metric: string, subject: string, other: string): number {
    const own = this.values.get(subject)?.get(metric) ?? [];
    const others = this.values.get(other)?.get(metric) ?? [];
    return median(own.map((value, round) => value / (others[round] ?? NaN)));
  }

  /** How far the rounds lie apart, as a share of the median. */
  spread(subject: string, metric: string): number {
    return spread(this.values.get(subject)?.get(metric) ?? []);
  }

  toJSON(): object {
    return Object.fromEntries(
      [...this.values].map(([subject, metrics]) => [
        subject,
        Object.fromEntries(
          [...metrics].map(([metric, values]) => [
            metric,
            { median: this.median(subject, metric), spread: this.spread(subject, metric), values },
          ]),
        ),
      ]),
    );
  }
}
