/** The cost of a request in tokens, as the API counts them. */

export type Usage = {
  /** Input tokens that were neither read from nor written to the cache. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  /** Web searches made by the provider, billed individually. Absent: none. */
  readonly webSearches?: number;
};

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
    cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
    ...searched((a.webSearches ?? 0) + (b.webSearches ?? 0)),
  };
}

export function subtractUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input - b.input,
    output: a.output - b.output,
    cacheRead: a.cacheRead - b.cacheRead,
    cacheWrite5m: a.cacheWrite5m - b.cacheWrite5m,
    cacheWrite1h: a.cacheWrite1h - b.cacheWrite1h,
    ...searched((a.webSearches ?? 0) - (b.webSearches ?? 0)),
  };
}

function searched(webSearches: number): Pick<Usage, 'webSearches'> {
  return webSearches === 0 ? {} : { webSearches };
}

/** The tokens the API has in its cache after a request with this usage. */
export function cachedTokens({ cacheRead, cacheWrite5m, cacheWrite1h }: Usage): number {
  return cacheRead + cacheWrite5m + cacheWrite1h;
}

/** All input tokens of a request, cached or not. */
export function inputTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
}
