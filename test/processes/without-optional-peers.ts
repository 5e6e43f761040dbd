/* Imported before a program: it then finds none of the packages that only some applications have. */
import { register } from 'node:module';

const hooks = `
  const absent = /^(@opentelemetry\\/|prom-client$|@nestjs\\/terminus$)/;
  export function resolve(specifier, context, next) {
    if (absent.test(specifier)) {
      throw Object.assign(new Error("Cannot find package '" + specifier + "'"), { code: 'ERR_MODULE_NOT_FOUND' });
    }
    return next(specifier, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
