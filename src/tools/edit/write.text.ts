/** The description of Write for the model. */

export const writeText = `Writes a file: the whole content, replacing what was there.

- Missing folders on the way are made.
- A file that exists must have been read first (Read), and must not have changed since; otherwise the call is refused.
- To change a part of a file use Edit: it is shorter and safer. Write is for new files and complete rewrites.
- The encoding, the line endings (when \`content\` has plain \\n) and the mode of an existing file are kept.
- Don't make documentation or summary files nobody asked for.`;
