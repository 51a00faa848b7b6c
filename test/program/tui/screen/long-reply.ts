/** A long reply of Markdown in many scripts, whose every line has a number of its own. */

/** Joined emoji, flags, skin tones, wide and combining characters, right to left, India's scripts. */
export const SCRIPTS = [
  '👩‍👩‍👧‍👦 a family, 🇩🇪🇯🇵 flags, 👍🏽 a tone, ❤️ a heart, 🏳️‍🌈',
  '你好世界，这是一行中文，后面还有更多的字',
  'cafe\u0301 nai\u0308ve Z\u0351\u036b\u0343\u036a\u0302 combined',
  'שלום עולם وهذا نص عربي here',
  'ｆｕｌｌ ｗｉｄｔｈ 한국어 日本語 नमस्ते',
] as const;

function idOf(line: number): string {
  return `M${String(line).padStart(4, '0')}`;
}

/** The numbers in a text, in order. */
export function idsIn(text: string): string[] {
  return text.match(/M\d{4,}/g) ?? [];
}

/** At least so many lines: paragraphs, headings, lists, quotes, tables and code, one after another. */
export function longReply(count: number): string {
  let made = 0;
  const next = (text = '') => {
    made += 1;
    return `${idOf(made)} ${text}`;
  };
  const script = () => SCRIPTS[made % SCRIPTS.length] ?? '';
  const blocks: string[] = [];
  while (made < count) {
    const kinds: readonly (() => string)[] = [
      () => `## ${next('A heading')}`,
      () => `${next(script())}\n${next('and **bold** words, `code`, a [link](https://example.test/a/b) of the text')}`,
      () => Array.from({ length: 4 }, () => `- ${next(script())}`).join('\n'),
      () => `\`\`\`ts\n${Array.from({ length: 6 }, () => `const x = '${next('of code')}';`).join('\n')}\n\`\`\``,
      () => `> ${next('a quote')}\n> ${next(script())}`,
      () => `| id | what |\n|---|---|\n${Array.from({ length: 3 }, () => `| ${next()} | ${script()} |`).join('\n')}`,
      () => next('a long line of words that go on and on so that it is wrapped in nearly every window '.repeat(2)),
    ];
    blocks.push((kinds[blocks.length % kinds.length] ?? (() => ''))());
  }
  return `${blocks.join('\n\n')}\n\nTHE END`;
}
