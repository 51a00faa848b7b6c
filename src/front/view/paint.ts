/** Colours for a terminal that supports them, unless the user turned them off. */

export type Paint = {
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly good: (text: string) => string;
};

export function choosePaint(colours: boolean): Paint {
  // Only the sixteen standard colours. Each is closed by its own code, so that none leaks.
  const code = (on: number, off: number) => (text: string) => (colours ? `\u001b[${on}m${text}\u001b[${off}m` : text);
  return { dim: code(2, 22), bold: code(1, 22), warn: code(33, 39), bad: code(31, 39), good: code(32, 39) };
}

export function wantsColours(stream: { readonly isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>) {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}
