import { useState } from 'preact/hooks';

import { useStepChange } from '../../api/changes.js';
import type { JobDetail, JobStep } from '../../contract.js';
import { formatDuration } from '../../format/durations.js';
import { visible } from '../../format/visible.js';
import { Badge, type Tone } from '../../components/badge.js';
import { Moment, Time } from '../../components/time.js';
import { Confirm } from '../../dialogs/dialog.js';
import { Members } from './group-members.js';
import { progressOf } from './related-jobs.js';
import { SignalDialog } from './signal-dialog.js';

const TONES: Readonly<Record<JobStep['state'], Tone>> = { done: 'good', failed: 'bad', late: 'warn', open: 'due' };

/** The steps and waits of a durable job, latest first. */
export function Steps({ job }: { readonly job: JobDetail }) {
  const [from, retryFrom] = useState<string | undefined>(undefined);
  const [signal, askSignal] = useState<string | undefined>(undefined);
  const change = useStepChange(job.id);
  return (
    <>
      <ol class="timeline">
        {job.steps.toReversed().map((step) => (
          <StepItem
            key={`${step.kind} ${step.name}`}
            step={step}
            {...(job.actions.includes('retry') && step.kind !== 'cursor' && { retryFrom })}
            {...(job.actions.includes('cancel') && { askSignal })}
          />
        ))}
      </ol>
      {from !== undefined && (
        <Confirm
          title={`Retry from ${visible(from)}?`}
          verb="Retry from here"
          isBusy={change.isPending}
          close={() => retryFrom(undefined)}
          confirm={() => change.mutate({ from }, { onSettled: () => retryFrom(undefined) })}
        >
          <p>It runs again, with all steps and waits that were stored after it. Earlier steps keep their results.</p>
        </Confirm>
      )}
      {signal !== undefined && <SignalDialog signal={signal} change={change} close={() => askSignal(undefined)} />}
    </>
  );
}

interface StepItemProps {
  readonly step: JobStep;
  readonly retryFrom?: (name: string) => void;
  readonly askSignal?: (signal: string) => void;
}

function StepItem({ step, retryFrom, askSignal }: StepItemProps) {
  const { name, kind, state, failures, error, took, recordedAt, children } = step;
  return (
    <li class={`tone-${TONES[state]}`}>
      <p class="timeline-head">
        <span>{visible(name) || 'cursor'}</span>
        {kind !== 'step' && name !== '' && <span class="quiet">{kind}</span>}
        <Badge tone={TONES[state]}>{state}</Badge>
        {took !== null && <span class="quiet number">took {formatDuration(took)}</span>}
        {children && <span class="quiet">{progressOf(children)}</span>}
        <Moment at={recordedAt} />
      </p>
      {state === 'open' && <Wait step={step} />}
      {error !== null && (
        <p class="timeline-error">
          {failures > 1 && `Failed ${failures} times. `}
          {visible(error)}
        </p>
      )}
      {children && <Members group={children} />}
      {(retryFrom || (askSignal && state === 'open' && step.awaits.length > 0)) && (
        <p class="timeline-actions">
          {retryFrom && (
            <button type="button" class="button" aria-label={`Retry from ${name}`} onClick={() => retryFrom(name)}>
              Retry from here
            </button>
          )}
          {askSignal &&
            step.awaits.map((signal) => (
              <button key={signal} type="button" class="button" onClick={() => askSignal(signal)}>
                Send {visible(signal)}
              </button>
            ))}
        </p>
      )}
    </li>
  );
}

/** What an open row waits for. */
function Wait({ step: { kind, awaits, dueAt } }: { readonly step: JobStep }) {
  const what = { step: 'Next try', sleep: 'Sleeps until', signal: 'Times out', child: '', cursor: '' }[kind];
  if (awaits.length === 0 && dueAt === null) {
    return null;
  }
  return (
    <p class="quiet">
      {awaits.length > 0 && `Waits for ${awaits.map(visible).join(' or ')}. `}
      {dueAt !== null && (
        <>
          {what} <Moment at={dueAt} />, <Time at={dueAt} />
        </>
      )}
    </p>
  );
}
