/** The description of Read for the model. */

export const readText = `Reads a file.

- \`file_path\` may be absolute, relative to the current folder, or begin with \`~/\`.
- Text comes with line numbers: the number, a tab, then the line itself. The number and the tab are not part of the file.
- Up to 2,000 lines are given from the beginning; lines longer than 2,000 characters are cut. For other parts of a long file give \`offset\` (the first line wanted, from 1) and \`limit\` (how many lines).
- Images (PNG, JPEG, GIF, WebP) are shown to you as pictures.
- Notebooks (.ipynb) come cell by cell, with ids and outputs.
- PDF files are given as documents; one with more than 20 pages needs \`pages\`, such as "1-5,8", at most 20 at a time.
- Folders are not files: use Glob, or Bash with ls. Several files that may matter are best read in one message.
- A file must have been read before Edit or Write may change it.`;
