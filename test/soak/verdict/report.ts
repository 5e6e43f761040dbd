import type { Judgment, Verdict } from './verdict.js';

/** The verdict as text: a line for each series, and what is wrong. */
export function reportOf({ judgments, complaints }: Verdict): string {
  const lines = judgments.map((each) => [
    each.isFlat ? 'flat ' : 'GROWS',
    `${each.series.chart}: ${each.series.name}`,
    `median ${short(each.median)}`,
    `growth ${signed(each.growth)}`,
    `allowed ${signed(each.allowed)}`,
  ]);
  const widths = lines.reduce<number[]>(
    (most, line) => line.map((cell, index) => Math.max(most[index] ?? 0, cell.length)),
    [],
  );
  const growing = judgments.filter(({ isFlat }: Judgment) => !isFlat);
  return [
    ...lines.map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
    '',
    ...complaints,
    isGood({ judgments, complaints })
      ? `Nothing grows: ${judgments.length} series are flat.`
      : `${growing.length} of ${judgments.length} series grow.`,
  ].join('\n');
}

/** Whether nothing grows and nothing else is wrong. */
export function isGood({ judgments, complaints }: Verdict): boolean {
  return complaints.length === 0 && judgments.every(({ isFlat }) => isFlat);
}

function short(value: number): string {
  return Number(value.toPrecision(4)).toLocaleString('en', { maximumFractionDigits: 2 });
}

function signed(value: number): string {
  return value > 0 ? `+${short(value)}` : short(value);
}
