/** Finds `@server:uri` in a person's words. */

export type Mention = {
  /** As configured. */
  readonly server: string;
  readonly uri: string;
  /** As it stands there. */
  readonly written: string;
};

/** A mail address has something before its @; an unknown server is no mention. */
const MENTION = /(?<![^\s([{<"'`,;])@([^\s:@]+):(\S+)/gu;

/** Each once, in their order. `parts`: of the configured servers, which are known by either. */
export function findMentions(texts: readonly string[], parts: ReadonlyMap<string, string>): readonly Mention[] {
  const names = [...parts.keys()];
  const found = new Map<string, Mention>();
  for (const [written, called = '', uri = ''] of texts.flatMap((value) => [...value.matchAll(MENTION)])) {
    const server = names.find((name) => name === called) ?? names.find((name) => parts.get(name) === called);
    if (server !== undefined) found.set(`${server} ${uri}`, { server, uri, written });
  }
  return [...found.values()];
}
