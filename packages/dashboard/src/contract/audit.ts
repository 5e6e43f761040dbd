import { type Infer, TIME, UUID, component, described, listOf, nullable, text } from './json-schema.js';

export type AuditEntry = Infer<typeof AuditEntry>;
export const AuditEntry = component('AuditEntry', {
  id: UUID,
  at: TIME,
  who: described(nullable(text()), 'the name that the option `who` returned'),
  action: text(),
  target: text(),
  detail: nullable(text()),
  outcome: text(),
});

export type AuditPage = Infer<typeof AuditPage>;
export const AuditPage = component('AuditPage', {
  entries: described(listOf(AuditEntry), 'newest first'),
  next: described(nullable(text()), 'the `cursor` of the next page; null on the last page'),
});
