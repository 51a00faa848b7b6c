/** The description of Edit for the model. */

export const editText = `Replaces a piece of text in a file.

- The file must have been read first (Read), and must not have changed since.
- \`old_string\` must be exactly what the file has, with its indentation, and without the line numbers that Read puts in front. It must occur once: give enough of the lines around it, or set \`replace_all\` to change every occurrence (to rename something, for example).
- \`new_string\` must differ from \`old_string\`.
- Line endings and encoding are kept: write \\n whatever the file has.
- An empty \`old_string\` makes a new file with \`new_string\` as its content.
- The result shows the changed lines as they are now.`;
