/**
 * The TypeScript and JavaScript samples of a Markdown page, each as the text of a module whose lines have the numbers
 * they have on the page. A comment right before a sample shows what the page leaves out:
 * `<!-- sample: code -->` has code that the sample needs, `<!-- sample in folder: code -->` also where such a file would be.
 */

const FENCE = /^```(?:ts|js)\n([\s\S]*?)^```$/gm;
const BEFORE = /<!-- sample(?: in (\S+))?: ([^\n]*) -->\n$/;

/** Each as `{ folder, text }`. */
export function extractSamples(page) {
  return [...page.matchAll(FENCE)].map((match) => {
    const before = page.slice(0, match.index);
    const [, folder = '', setup = ''] = BEFORE.exec(before) ?? [];
    // The line of the fence takes the setup.
    return { folder, text: `${'\n'.repeat(before.split('\n').length - 1)}${setup}\n${match[1]}` };
  });
}
