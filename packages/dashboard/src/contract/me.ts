import { type Infer, component, described, listOf, nullable, oneOf, text } from './json-schema.js';

/** What a user may do. A `reader` sees everything and changes nothing. */
export type Role = 'reader' | 'operator';

export type Me = Infer<typeof Me>;
export const Me = component('Me', {
  name: described(nullable(text()), 'the name that the option `who` returned'),
  role: oneOf('reader', 'operator'),
  databases: described(listOf(text()), 'the data sources, for the parameter `database`; the first is the default'),
  version: described(text(), 'of @tablequeue/dashboard'),
});
