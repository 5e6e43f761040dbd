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
   *
   * @param metrics what is added up.
   */
  ratio(metrics: readonly string[], subject: string, other: string): number {
    const of = (name: string, round: number) =>
      metrics.reduce((sum, metric) => sum + (this.values.get(name)?.get(metric)?.[round] ?? NaN), 0);
    const rounds = this.values.get(subject)?.get(metrics[0]!) ?? [];
    return median(rounds.map((_value, round) => of(subject, round) / of(other, round)));
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
