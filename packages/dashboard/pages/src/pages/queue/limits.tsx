import { useState } from 'preact/hooks';

import { useQueueChange } from '../../api/changes.js';
import type { QueueLimits, QueueRow, RateLimit } from '../../contract.js';
import { formatNumber } from '../../format/numbers.js';
import { useCanAct } from '../../components/for-operators.js';
import { Fact, Section } from '../../components/section.js';

const PERIODS = [
  [1000, 'second'],
  [60_000, 'minute'],
  [3_600_000, 'hour'],
  [86_400_000, 'day'],
] as const;

/** Limits over all processes, in addition to the options of each worker. */
export function Limits({ row }: { readonly row: QueueRow }) {
  const canAct = useCanAct();
  return (
    <Section id="limits" title="Limits of all workers together">
      {canAct ? <LimitsForm row={row} /> : <LimitsList limits={row.limits} />}
    </Section>
  );
}

const orNone = (value: number | null) => (value === null ? 'no limit' : formatNumber(value));

function LimitsList({ limits }: { readonly limits: QueueLimits }) {
  const { concurrency, rate, perTenant, ratePerTenant, maxLength } = limits;
  return (
    <dl class="facts facts-wide">
      <Fact name="Running at a time">{orNone(concurrency)}</Fact>
      <Fact name="Started">{rateText(rate)}</Fact>
      <Fact name="Running of one tenant">{orNone(perTenant)}</Fact>
      <Fact name="Started of one tenant">{rateText(ratePerTenant)}</Fact>
      <Fact name="Waiting jobs">{orNone(maxLength)}</Fact>
    </dl>
  );
}

function rateText(rate: RateLimit | null): string {
  if (rate === null) {
    return 'no limit';
  }
  const period = PERIODS.find(([per]) => per === rate.per)?.[1] ?? `${formatNumber(rate.per)} ms`;
  const burst = rate.burst === null ? '' : `, up to ${formatNumber(rate.burst)} at once`;
  return `${formatNumber(rate.jobs)} every ${period}${burst}`;
}

const asText = (value: number | undefined | null): string =>
  value === null || value === undefined ? '' : String(value);
const asNumber = (text: string): number | null => (text.trim() === '' ? null : Number(text));

function LimitsForm({ row: { queue, limits } }: { readonly row: QueueRow }) {
  const { limiting } = useQueueChange();
  const [concurrency, setConcurrency] = useState(asText(limits.concurrency));
  const [rate, setRate] = useState(limits.rate);
  const [perTenant, setPerTenant] = useState(asText(limits.perTenant));
  const [ratePerTenant, setRatePerTenant] = useState(limits.ratePerTenant);
  const [maxLength, setMaxLength] = useState(asText(limits.maxLength));
  const wanted: QueueLimits = {
    concurrency: asNumber(concurrency),
    rate,
    perTenant: asNumber(perTenant),
    ratePerTenant,
    maxLength: asNumber(maxLength),
  };
  const isChanged = JSON.stringify(wanted) !== JSON.stringify(limits);
  return (
    <form
      class="limits"
      onSubmit={(event) => {
        event.preventDefault();
        limiting.mutate({ queue, limits: wanted });
      }}
    >
      <LimitField name="Running at a time" value={concurrency} change={setConcurrency} />
      <RateFields name="Started at most" burstName="At once" rate={limits.rate} change={setRate} />
      <LimitField name="Running of one tenant" value={perTenant} change={setPerTenant} />
      <RateFields
        name="Started of one tenant"
        burstName="At once of one tenant"
        rate={limits.ratePerTenant}
        change={setRatePerTenant}
      />
      <LimitField name="Waiting jobs at most" value={maxLength} change={setMaxLength} />
      <button type="submit" class="button button-main" disabled={!isChanged || limiting.isPending}>
        Save limits
      </button>
    </form>
  );
}

interface RateFieldsProps {
  readonly name: string;
  readonly burstName: string;
  /** The rate at first. */
  readonly rate: RateLimit | null;
  readonly change: (rate: RateLimit | null) => void;
}

function RateFields({ name, burstName, rate, change }: RateFieldsProps) {
  const [fields, setFields] = useState({
    jobs: asText(rate?.jobs),
    per: rate?.per ?? 1000,
    burst: asText(rate?.burst),
  });
  const set = (changed: Partial<typeof fields>) => {
    const all = { ...fields, ...changed };
    const jobs = asNumber(all.jobs);
    setFields(all);
    change(jobs === null ? null : { jobs, per: all.per, burst: asNumber(all.burst) });
  };
  const { jobs, per, burst } = fields;
  return (
    <div class="field-pair">
      <LimitField name={name} value={jobs} change={(value) => set({ jobs: value })} />
      <label class="field">
        <span>every</span>
        <select value={per} onChange={(event) => set({ per: Number(event.currentTarget.value) })}>
          {PERIODS.some(([known]) => known === per) || <option value={per}>{formatNumber(per)} ms</option>}
          {PERIODS.map(([value, period]) => (
            <option key={value} value={value}>
              {period}
            </option>
          ))}
        </select>
      </label>
      <LimitField name={burstName} value={burst} placeholder="default" change={(value) => set({ burst: value })} />
    </div>
  );
}

interface LimitFieldProps {
  readonly name: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly change: (value: string) => void;
}

const LimitField = ({ name, value, placeholder = 'no limit', change }: LimitFieldProps) => (
  <label class="field">
    <span>{name}</span>
    <input
      type="number"
      min="1"
      step="1"
      inputMode="numeric"
      placeholder={placeholder}
      value={value}
      onInput={(event) => change(event.currentTarget.value)}
    />
  </label>
);
