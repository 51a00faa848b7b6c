/** Recognises sed scripts that can only print: they read, write and run nothing. */

/** A set of characters without the delimiter or anything that sed versions interpret differently. */
const BRACKET = String.raw`\[\^?(?:\[:[a-z]+:\]|[^\][/|#,:!@+_%\\\n])+\]`;
const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n[]|\\[^\n]|${BRACKET})*/I?)`;
const ADDRESSES = String.raw`(?:${ADDRESS}(?:\s*,\s*(?:${ADDRESS}|[+~]\d+))?)?`;
const COMMAND = new RegExp(String.raw`^[\s;]*${ADDRESSES}\s*!?\s*(?:[pdPDlnNhHgGx=]|[qQ]\d*)\s*(?=$|[;\n])`);
const BEFORE_SUBSTITUTE = new RegExp(String.raw`^[\s;]*${ADDRESSES}\s*!?\s*s(?=[/|#,:!@+_%])`);
const START_OF_BRACKET = new RegExp(`^${BRACKET}`);
/** Commands that change only the text itself: append, insert, replace, branch, group. */
const EDIT = new RegExp(
  String.raw`^[\s;}]*${ADDRESSES}\s*!?\s*(?:[aic](?:\\\n|\\?[ \t]*)[^\n\\]*(?=$|\n)|y(?<mark>[/|#,:!@+_%])(?:(?!\k<mark>)[^\\\n])*\k<mark>(?:(?!\k<mark>)[^\\\n])*\k<mark>\s*(?=$|[;\n}])|\{|[btT]\s*\w*\s*(?=$|[;\n}])|:\s*\w+\s*(?=$|[;\n])|[pdPDlnNhHgGxz=]\s*(?=\}))`,
);
const LONGEST = 2_000;

/** `edits`: it may change its text in every way, not only print parts of it. */
export function isSafeSedScript(script: string, edits = false): boolean {
  if (script.length > LONGEST) return false;
  let rest = script;
  while (!(edits ? /^[\s;}]*$/ : /^[\s;]*$/).test(rest)) {
    const command = COMMAND.exec(rest) ?? (edits ? EDIT.exec(rest) : null);
    if (command !== null) {
      rest = rest.slice(command[0].length);
      continue;
    }
    const start = edits ? rest.replace(/^[\s;}]+/, '') : rest;
    const substitute = BEFORE_SUBSTITUTE.exec(start);
    if (substitute === null) return false;
    const after = skipSubstitute(start.slice(substitute[0].length), edits);
    if (after === undefined) return false;
    rest = after;
  }
  return true;
}

/** `/from/to/flags` with any delimiter; the flags `w` and `e` write and run. */
function skipSubstitute(text: string, edits: boolean): string | undefined {
  const delimiter = text.charAt(0);
  let at = 1;
  for (let part = 0; part < 2; part += 1) {
    while (at < text.length && text.charAt(at) !== delimiter) {
      if (text.charAt(at) === '\n') return undefined;
      const bracket = text.charAt(at) === '[' && part === 0 ? START_OF_BRACKET.exec(text.slice(at)) : undefined;
      if (bracket === null) return undefined;
      at += bracket?.[0].length ?? (text.charAt(at) === '\\' ? 2 : 1);
    }
    if (at >= text.length) return undefined;
    at += 1;
  }
  const flags = (edits ? /^[gpiImM\d]*\s*(?=$|[;\n}])/ : /^[gpiI\d]*\s*(?=$|[;\n])/).exec(text.slice(at));
  return flags === null ? undefined : text.slice(at + flags[0].length);
}
