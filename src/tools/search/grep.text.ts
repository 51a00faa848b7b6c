/** The description of Grep for the model. */

export const grepText = `Searches the contents of files with ripgrep.

- \`pattern\` is a regular expression in ripgrep's (Rust's) syntax: \`log.*Error\`, \`function\\s+\\w+\`. Braces and other special characters that are meant literally need a backslash: \`interface\\{\\}\`.
- \`path\` is the folder or file to search; the current folder unless given. Narrow it with \`glob\` ("*.ts", "src/**/*.{js,jsx}") or \`type\` ("js", "py", "rust").
- \`output_mode\`: \`files_with_matches\` (unless given; newest first), \`content\` (matching lines; with \`-A\`, \`-B\`, \`-C\` lines around them, \`-n\` false for no line numbers), \`count\` (matches a file).
- \`-i\` ignores case. \`multiline\` lets a pattern reach over line ends.
- At most \`head_limit\` lines or files are given (250 unless given), from \`offset\` on. Lines longer than 500 characters are cut.
- What .gitignore leaves out is not searched, nor is \`.git\`; links are not followed.`;
