import { connection } from '../api/live.js';
import { formatClockWithSeconds, formatExact } from '../format/times.js';

const LABELS = {
  connecting: ['Connecting', 'Waiting for the first figures.'],
  live: ['Live', 'The server sends new figures every few seconds.'],
  polling: ['Polling', 'Events of the server do not arrive, so the page polls every 5 seconds.'],
} as const;

export function ConnectionStatus() {
  const state = connection.value;
  const [label, title] =
    state.kind === 'disconnected'
      ? [
          `Disconnected since ${formatClockWithSeconds(state.since)}`,
          `Figures are of ${formatExact(state.since)}: the server does not answer, or wants you to sign in again.`,
        ]
      : LABELS[state.kind];
  return (
    <p class={`connection connection-${state.kind}`} title={title} role="status">
      <span class="connection-dot" aria-hidden="true" />
      {label}
    </p>
  );
}
