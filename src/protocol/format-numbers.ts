/**
 * Formats numbers for a person, the same in every surface: money, shares, counts, times, sizes, plurals. Texts for a
 * model, a file or a program keep their own formats.
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `$0.05`, `$1,204.50`; under a cent `<$0.01`, and `$0` only if nothing was paid. */
export function money(usd: number): string {
  return dollars(usd, 2);
}

/** `$0.0523`: where small amounts are compared or added up. */
export function exactMoney(usd: number): string {
  return dollars(usd, 4);
}

export function priceText(usd: number | undefined): string {
  return usd === undefined ? 'no price' : exactMoney(usd);
}

function dollars(usd: number, digits: number): string {
  if (usd < 0) return `-${dollars(-usd, digits)}`;
  const least = 10 ** -digits;
  if (usd === 0) return '$0';
  if (usd < least) return `<$${least.toFixed(digits)}`;
  const [whole = '', cents] = usd.toFixed(digits).split('.');
  return `$${group(whole)}.${cents}`;
}

/** A share from 0 to 1 as `96%`, or `96.4%` with one digit. Only the whole is `100%`. */
export function percent(share: number, digits = 0): string {
  const rounded = Number((share * 100).toFixed(digits));
  const shown = rounded >= 100 && share < 1 ? 100 - 10 ** -digits : rounded;
  return `${shown === 100 ? shown : shown.toFixed(digits)}%`;
}

/** Every digit, thousands separated: `871,200`. */
export function wholeCount(count: number): string {
  return group(String(Math.round(count)));
}

function group(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `950`, `1.2k`, `20.1k`, `180k`, `1.2M`. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  if (count < 99_950) return `${oneDigit(count / 1_000)}k`;
  return count < 999_500 ? `${Math.round(count / 1_000)}k` : `${oneDigit(count / 1_000_000)}M`;
}

function oneDigit(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

/** `1 turn`, `2 turns`; the plural is given where it is not the singular with an s. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${wholeCount(count)} ${count === 1 ? one : many}`;
}

/** `41s`, `2m 10s`, `1h 2m`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND_MS));
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds}s`;
  if (minutes < 60) return `${minutes}m${seconds % 60 === 0 ? '' : ` ${seconds % 60}s`}`;
  return `${Math.floor(minutes / 60)}h${minutes % 60 === 0 ? '' : ` ${minutes % 60}m`}`;
}

/** In whole minutes or hours: `1m`, `2h`. */
export function coarseDuration(ms: number): string {
  return duration(ms < HOUR_MS ? ms - (ms % MINUTE_MS) : ms - (ms % HOUR_MS));
}

/** A duration as a clock shows it: `0:41`, `12:07`, `1:02:10`. */
export function clockTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND_MS));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  return hours === 0
    ? `${minutes}:${twoDigits(seconds % 60)}`
    : `${hours}:${twoDigits(minutes)}:${twoDigits(seconds % 60)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** `just now`, `3 min ago`, `5 h ago`, `2 days ago`. */
export function age(ms: number): string {
  if (!Number.isFinite(ms)) return 'age unknown';
  if (ms < MINUTE_MS) return 'just now';
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  return ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)} h ago` : `${Math.floor(ms / DAY_MS)} days ago`;
}

/** A moment in local time: `2026-11-18 18:37`. */
export function localTime(at: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return 'unknown time';
  const day = [time.getFullYear(), twoDigits(time.getMonth() + 1), twoDigits(time.getDate())].join('-');
  return `${day} ${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`;
}

/** `950 bytes`, `1.2 KB`, `10 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1024) return plural(bytes, 'byte');
  const kilobytes = bytes / 1024;
  return kilobytes < 1023.95 ? `${oneDigit(kilobytes)} KB` : `${oneDigit(kilobytes / 1024)} MB`;
}
