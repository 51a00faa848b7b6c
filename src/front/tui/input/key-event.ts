/** Input events from the terminal. */

export type KeyEvent =
  /**
   * A key, by name: `a`, `A`, `é`, `enter`, `esc`, `tab`, `space`, `backspace`, `delete`, `up`, `pagedown`, `f5`, with
   * `ctrl+`, `alt+`, `shift+` before it in this order (`shift+tab`, `ctrl+alt+up`; a capital letter is itself).
   * `text`: the text it types, if any.
   */
  | { readonly kind: 'key'; readonly name: string; readonly text?: string }
  /** Line ends are `\n`. */
  | { readonly kind: 'paste'; readonly text: string }
  /** The terminal's window gained or lost the focus. */
  | { readonly kind: 'focus'; readonly has: boolean }
  /** The terminal's background colour, as reported: each part from 0 to 1. */
  | { readonly kind: 'background'; readonly red: number; readonly green: number; readonly blue: number };

export type NamedKey = Extract<KeyEvent, { readonly kind: 'key' }>;
