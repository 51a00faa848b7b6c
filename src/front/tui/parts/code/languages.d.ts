/** What `languages.js` has for us. */

type Highlighter = {
  /** Undefined: it has no language of this name or alias. */
  getLanguage(name: string): object | undefined;
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly value: string };
};

declare const highlighter: Highlighter;
export default highlighter;
