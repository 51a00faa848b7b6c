/** Figures as short as they can be read: times, tokens, dollars, shares. */

/** `0:41`, `12:07`, `1:02:10`. */
export function clockTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const two = (count: number) => String(count).padStart(2, '0');
  return hours === 0 ? `${minutes}:${two(seconds % 60)}` : `${hours}:${two(minutes)}:${two(seconds % 60)}`;
}

/** In whole minutes or hours: `1m`, `2h`. */
export function shortTime(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h`;
}

/** `950`, `18k`, `1.2M`. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  if (count < 999_500) return `${count < 9_950 ? trim((count / 1_000).toFixed(1)) : Math.round(count / 1_000)}k`;
  return `${trim((count / 1_000_000).toFixed(1))}M`;
}

function trim(figure: string): string {
  return figure.endsWith('.0') ? figure.slice(0, -2) : figure;
}

export function dollars(cost: number): string {
  return `$${cost.toFixed(2)}`;
}

/** Only what is all is 100 %. */
export function percent(share: number): string {
  const rounded = Math.round(share * 100);
  return `${rounded === 100 && share < 1 ? 99 : rounded}%`;
}
