import type { AnyJobDefinition } from '@tablequeue/typeorm';
import { assertJobDefinition } from '@tablequeue/typeorm/internal';

import { DuplicateDefinitionError } from '../errors/index.js';

/**
 * The definitions of the option `definitions`, by name.
 *
 * @throws InvalidOptionError for what is no definition; DuplicateDefinitionError.
 */
export function definitionsByName(definitions: readonly AnyJobDefinition[]): ReadonlyMap<string, AnyJobDefinition> {
  const byName = new Map<string, AnyJobDefinition>();
  for (const [index, definition] of definitions.entries()) {
    assertJobDefinition(`definitions[${index}]`, definition);
    if (byName.has(definition.name)) {
      throw new DuplicateDefinitionError(definition.name);
    }
    byName.set(definition.name, definition);
  }
  return byName;
}
