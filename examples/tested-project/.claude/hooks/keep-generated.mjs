/** Files that a program makes are not edited: exit code 2 refuses the call, and the model reads why. */

let input = '';
for await (const part of process.stdin) input += part;
const { tool_input } = JSON.parse(input);
if (/\.generated\.mjs$/.test(tool_input.file_path ?? '')) {
  console.error(`${tool_input.file_path} is generated. Change what it is made from.`);
  process.exit(2);
}
