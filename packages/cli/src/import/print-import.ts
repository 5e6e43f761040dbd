import type { Output } from '../terminal/output.js';
import { renderTable } from '../terminal/table.js';
import { countOf } from '../terminal/words.js';
import type { ImportMode } from './import-target.js';
import type { Remark } from './report.js';
import type { ImportResult } from './run-import.js';

const DONE: Record<ImportMode, string> = { plan: 'maps', copy: 'copied', move: 'moved' };

/** Prints what an import has found and done. */
export function printImport(output: Output, { queues, report, journaled }: ImportResult, mode: ImportMode): void {
  const title = (text: string) => ({ title: text });
  const number = (text: string) => ({ title: text, isNumber: true });
  output.print(
    ...renderTable(
      [title('queue'), title('library'), title('paused'), number('active'), number('stalled'), number('completed')],
      queues.map(({ name, library, isPaused, active, stalled, completed }) => {
        return [name, library, isPaused ? 'yes' : 'no', ...[active, stalled, completed].map(String)];
      }),
    ),
  );
  const rows = [...report.counts].flatMap(([queue, states]) =>
    [...states].map(([state, { found, maps, known, stays }]) => [
      queue,
      state,
      ...[found, maps, known, stays].map(String),
    ]),
  );
  if (rows.length > 0) {
    const numbers = ['found', DONE[mode], 'known', 'stays in Redis'].map(number);
    output.print('', ...renderTable([title('queue'), title('state'), ...numbers], rows));
  }
  if (report.names.size > 0) {
    const names = [...report.names].map(([queue, counts]) => {
      return `  ${queue}: ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}`;
    });
    output.print('', 'Handlers that the queues need, with their jobs:', ...names);
  }
  printRemarks(output, 'Stays in Redis:', report.refusals);
  printRemarks(output, 'Different here:', report.notes);
  const limited = queues.filter(({ concurrency }) => concurrency !== undefined);
  if (limited.length > 0) {
    const limits = limited.map(
      ({ name, concurrency }) => `  queue.control.limit('${name}', { concurrency: ${concurrency} })`,
    );
    output.print('', 'Limits are not imported. Set them:', ...limits);
  }
  output.print('', closing(mode, journaled));
}

function closing(mode: ImportMode, journaled: number): string {
  const entries = `${countOf(journaled, 'entry').replace(/entrys$/, 'entries')} of an interrupted move`;
  if (mode === 'move') {
    return journaled > 0
      ? `${entries} completed. Run the command again until nothing is found.`
      : 'Run the command again until nothing is found.';
  }
  const rest = journaled > 0 ? ` There is a journal with ${entries}: continue it with --move.` : '';
  return mode === 'copy'
    ? `Redis is as it was. Never resume the queues of Bull: both sides would run the jobs.${rest}`
    : `Nothing was changed. Repeat the command with --copy or --move.${rest}`;
}

function printRemarks(output: Output, title: string, remarks: readonly Remark[]): void {
  if (remarks.length > 0) {
    const lines = remarks.map(({ text, count, examples }) => {
      return `  ${count} × ${text}. (${examples.join(', ')}${count > examples.length ? ', …' : ''})`;
    });
    output.print('', title, ...lines);
  }
}
