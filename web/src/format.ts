// SPDX-License-Identifier: Apache-2.0
//
// Numbers as words: three digits that matter, thin spaces, a unit on each.

const THIN = '\u202f';

export function digits(x: number, places = 3): string {
  if (!Number.isFinite(x)) return String(x);
  const size = Math.abs(x);
  if (size !== 0 && (size >= 1e15 || size < 1e-6)) return x.toExponential(places - 1);
  const decimals = size === 0 ? 0 : Math.max(0, places - 1 - Math.floor(Math.log10(size)));
  const rounded = size >= 1 && decimals === 0 ? Math.round(x) : Number(x.toFixed(Math.min(decimals, 12)));
  const [whole, part] = String(rounded).split('.');
  const grouped = whole.replace(/(\d)(?=(\d{3})+$)/g, `$1${THIN}`);
  // 62.04 is 62.0, and 62 is 62.
  const zeros = Number.isInteger(x) ? 0 : Math.min(decimals, 12);
  return part || zeros ? `${grouped}.${(part ?? '').padEnd(zeros, '0')}` : grouped;
}

const SI: [number, string][] = [[1e18, 'E'], [1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']];
const SMALL: [number, string][] = [[1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'], [1e-12, 'p']];

export function si(x: number, unit: string): string {
  const size = Math.abs(x);
  const steps = size === 0 || size >= 1 ? SI : SMALL;
  const [scale, prefix] = steps.find(([s]) => size >= s * 0.9995) ?? [1, ''];
  return `${digits(x / scale)}${THIN}${prefix}${unit}`;
}

export function seconds(x: number): string {
  if (x < 120) return si(x, 's');
  if (x < 7200) return `${digits(x / 60)}${THIN}min`;
  return x < 172800 ? `${digits(x / 3600)}${THIN}h` : days(x / 86400);
}

export function days(x: number): string {
  return `${digits(x)}${THIN}days`;
}

export const gib = (x: number): string => `${digits(x)}${THIN}GiB`;
export const percent = (x: number): string => `${digits(x * 100)}${THIN}%`;

// With a sign; below a tenth of a percent there is no change to speak of.
export function change(x: number): string {
  if (Math.abs(x) < 0.001) return 'no change';
  return `${x > 0 ? '+' : '\u2212'}${digits(Math.abs(x) * 100, 2)}${THIN}%`;
}

export function money(x: number, currency: string): string {
  return `${si(x, '').trim()}${THIN}${currency}`;
}

// A value in the base unit that a metric's row names.
export function inUnit(x: number, unit: string): string {
  switch (unit) {
    case 's': return seconds(x);
    case 'GiB': return gib(x);
    case '': return Number.isInteger(x) && Math.abs(x) < 1e15 ? digits(x, 15) : digits(x, 4);
    case 'TFLOP/s': return `${digits(x)}${THIN}TFLOP/s`;
    case '1/s': return `${digits(x, 4)}${THIN}/s`;
    default: return si(x, unit);
  }
}

// A mark for each of the engine's five words of risk, `memory.fit`.
const MARKS: Record<string, string> = { fits: 'good', likely: 'fair', tight: 'poor', unlikely: 'low' };
// Words of a run that fits as likely as not.
export const isFitting = (fit: string): boolean => ['fits', 'likely', 'tight'].includes(fit);
export const riskMark = (fit: string): string => MARKS[fit] ?? 'bad';

// The words of the command line (probability_words, src/estimate/risk.h).
export function sure(p: number): string {
  if (p > 0.99) return `over 99${THIN}%`;
  return p < 0.01 ? `below 1${THIN}%` : `${Math.round(p * 100)}${THIN}%`;
}

// "fits, over 99 %"
export const verdict = (fit: string, p: number): string => `${fit}, ${sure(p)}`;
