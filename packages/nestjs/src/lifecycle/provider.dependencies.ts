import type { InjectionToken } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';

export type NestModule = Parameters<Parameters<ModulesContainer['forEach']>[0]>[0];
type ProviderWrapper = ReturnType<NestModule['providers']['get']> & {};

/** Where TypeScript and Nest's decorators keep what a constructor takes. The names have been the same since Nest 5. */
const CONSTRUCTOR_TYPES = 'design:paramtypes';
const CONSTRUCTOR_TOKENS = 'self:paramtypes';
const OPTIONAL_PARAMETERS = 'optional:paramtypes';

/** The tokens that Nest has to find to make a provider or a controller: those of its constructor or factory. */
export function dependenciesOf({ metatype, inject }: ProviderWrapper): unknown[] {
  if (inject) {
    return inject.flatMap((item) => (typeof item === 'object' ? requiredToken(item) : [item]));
  }
  if (!metatype) {
    return [];
  }
  const read = <T>(key: string) => (Reflect.getMetadata(key, metatype) ?? []) as T[];
  const tokens = [...read<unknown>(CONSTRUCTOR_TYPES)];
  for (const { index, param } of read<{ index: number; param: unknown }>(CONSTRUCTOR_TOKENS)) {
    tokens[index] = param;
  }
  const optional = read<number>(OPTIONAL_PARAMETERS);
  return tokens.filter((_token, index) => !optional.includes(index));
}

function requiredToken(item: object | null): unknown[] {
  const { token, optional } = (item ?? {}) as { token?: InjectionToken; optional?: boolean };
  return token !== undefined && optional !== true ? [token] : [];
}
