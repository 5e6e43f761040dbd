import { useState } from 'preact/hooks';

import { useQueueChange } from '../../api/changes.js';
import type { QueueLimits, QueueRow } from '../../contract.js';
import { formatNumber } from '../../format/numbers.js';
import { useCanAct } from '../../components/for-operators.js';
import { Fact, Section } from '../../components/section.js';

const PERIODS = [
  [1000, 'second'],
  [60_000, 'minute'],
  [3_600_000, 'hour'],
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

function LimitsList({ limits: { concurrency, rate, perTenant, maxLength } }: { readonly limits: QueueLimits }) {
  const orNone = (value: number | null) => (value === null ? 'no limit' : formatNumber(value));
  const period = PERIODS.find(([per]) => per === rate?.per)?.[1];
  return (
    <dl class="facts facts-wide">
      <Fact name="Running at a time">{orNone(concurrency)}</Fact>
      <Fact name="Started">
        {rate ? `${formatNumber(rate.jobs)} every ${period ?? `${formatNumber(rate.per)} ms`}` : 'no limit'}
      </Fact>
      <Fact name="Running of one tenant">{orNone(perTenant)}</Fact>
      <Fact name="Waiting jobs">{orNone(maxLength)}</Fact>
    </dl>
  );
}

const asText = (value: number | undefined | null): string =>
  value === null || value === undefined ? '' : String(value);
const asNumber = (text: string): number | null => (text.trim() === '' ? null : Number(text));

function LimitsForm({ row: { queue, limits } }: { readonly row: QueueRow }) {
  const { limiting } = useQueueChange();
  const [concurrency, setConcurrency] = useState(asText(limits.concurrency));
  const [jobs, setJobs] = useState(asText(limits.rate?.jobs));
  const [per, setPer] = useState(limits.rate?.per ?? 1000);
  const [perTenant, setPerTenant] = useState(asText(limits.perTenant));
  const [maxLength, setMaxLength] = useState(asText(limits.maxLength));
  const started = asNumber(jobs);
  const wanted: QueueLimits = {
    concurrency: asNumber(concurrency),
    rate: started === null ? null : { jobs: started, per },
    perTenant: asNumber(perTenant),
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
      <div class="field-pair">
        <LimitField name="Started at most" value={jobs} change={setJobs} />
        <label class="field">
          <span>every</span>
          <select value={per} onChange={(event) => setPer(Number(event.currentTarget.value))}>
            {PERIODS.some(([known]) => known === per) || <option value={per}>{formatNumber(per)} ms</option>}
            {PERIODS.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <LimitField name="Running of one tenant" value={perTenant} change={setPerTenant} />
      <LimitField name="Waiting jobs at most" value={maxLength} change={setMaxLength} />
      <button type="submit" class="button button-main" disabled={!isChanged || limiting.isPending}>
        Save limits
      </button>
    </form>
  );
}

interface LimitFieldProps {
  readonly name: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

const LimitField = ({ name, value, change }: LimitFieldProps) => (
  <label class="field">
    <span>{name}</span>
    <input
      type="number"
      min="1"
      step="1"
      inputMode="numeric"
      placeholder="no limit"
      value={value}
      onInput={(event) => change(event.currentTarget.value)}
    />
  </label>
);
