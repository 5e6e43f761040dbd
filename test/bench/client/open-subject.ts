import { pathToFileURL } from 'node:url';

import type { Subject, SubjectModule } from '../subject.js';
import type { Task } from './task.js';

/** Opens the subject of a task. */
export async function openSubject({ module, url, ground }: Task): Promise<Subject> {
  const subjects = (await import(pathToFileURL(module).href)) as SubjectModule;
  return subjects.open(url, ground);
}
