export type {
  AttemptOutcome,
  Instrumentation,
  ObservedQueue,
  ProcessOperation,
  ProcessedEnd,
  ProcessedJob,
  Processing,
  SendOperation,
  Sending,
  EndedAttempt,
} from './instrumentation.js';
export type { QueueFigures } from './queue-figures.js';
