/** The description of Glob for the model. */

export const globText = `Finds files by name.

- \`pattern\`: \`*\` and \`?\` within a name, \`**\` over folders, \`[a-z]\`, \`{ts,tsx}\`. A pattern without a slash, such as \`*.md\`, finds names at any depth; with one, such as \`src/**/*.test.ts\`, it is a path from the folder searched.
- \`path\` is the folder to search; the current folder unless given.
- What .gitignore leaves out is left out here, and \`.git\` always; links are not followed. To look into an ignored folder, name it in \`path\`.
- The newest files come first, 100 at most.
- To find text inside files use Grep.`;
