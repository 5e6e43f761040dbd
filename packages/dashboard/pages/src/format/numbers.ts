import type { Count, Total } from '../contract.js';

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const small = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2 });
const inUnit = (unit: string, unitDisplay: 'short' | 'long') =>
  new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 });
const bytes = [inUnit('byte', 'long'), inUnit('kilobyte', 'short'), inUnit('megabyte', 'short')];
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

export const formatNumber = (value: number): string => whole.format(value);

/** Formats a number for a tile: 12.4K. */
export const formatCompact = (value: number): string => (value < 10_000 ? whole : compact).format(value);

/** Formats a capped count as "5,000+". */
export const formatCount = ({ count, isCapped }: Count): string => `${whole.format(count)}${isCapped ? '+' : ''}`;

export const formatShortCount = ({ count, isCapped }: Count): string => `${formatCompact(count)}${isCapped ? '+' : ''}`;

/** Formats a total: "12.4K", "≈ 1.2M" for an estimate, "5K+" for a minimum. */
export const formatTotal = (total: Total): string => markOf(total) + formatShortCount(total);

/** The same with all digits: "≈ 105,004". */
export const formatWholeTotal = (total: Total): string => markOf(total) + formatCount(total);

const markOf = ({ isEstimate, isCapped }: Total): string => (isEstimate && !isCapped ? '≈ ' : '');

/** Formats a rate per second. Small rates keep two digits. */
export const formatRate = (perSecond: number): string =>
  perSecond === 0 ? '0' : (perSecond < 10 ? small : whole).format(perSecond);

/** Formats a size as "213 bytes", "4.2 kB" or "1.1 MB". */
export function formatBytes(size: number): string {
  const power = size < 1000 ? 0 : size < 1_000_000 ? 1 : 2;
  return bytes[power]?.format(size / 1000 ** power) ?? '';
}

export const formatShare = (share: number): string => percent.format(share);

/** Formats "1 job", "1,204 jobs" or "10,000+ jobs". */
export function formatJobs(count: Count | number, adjective = ''): string {
  const { count: jobs, isCapped } = typeof count === 'number' ? { count, isCapped: false } : count;
  const words = [formatCount({ count: jobs, isCapped }), adjective, jobs === 1 && !isCapped ? 'job' : 'jobs'];
  return words.filter(Boolean).join(' ');
}
