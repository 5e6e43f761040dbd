import { type Infer, TIME, component, described, listOf, nullable, oneOf, text } from './json-schema.js';

export type DoctorFinding = Infer<typeof DoctorFinding>;
export const DoctorFinding = component('DoctorFinding', {
  check: text(),
  level: described(oneOf('good', 'notice', 'warning', 'problem'), '`notice`: the check could not be made'),
  text: text(),
  advice: described(nullable(text()), 'why it matters and what to change, one per line'),
});

export type DoctorReport = Infer<typeof DoctorReport>;
export const DoctorReport = component('DoctorReport', {
  takenAt: TIME,
  server: described(text(), 'kind and version'),
  findings: listOf(DoctorFinding),
});
