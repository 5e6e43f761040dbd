import type { ComponentChildren } from 'preact';

import type { JobState } from '../contract.js';

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'due' | 'later' | 'calm';

export const TONE_OF: Readonly<Record<JobState, Tone>> = {
  waiting: 'calm',
  scheduled: 'later',
  ready: 'due',
  running: 'busy',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'calm',
  expired: 'warn',
};

export function Badge({ tone, title, children }: { tone: Tone; title?: string; children: ComponentChildren }) {
  return (
    <span class={`badge tone-${tone}`} title={title}>
      {children}
    </span>
  );
}

export const StateBadge = ({ state }: { readonly state: JobState }) => <Badge tone={TONE_OF[state]}>{state}</Badge>;
