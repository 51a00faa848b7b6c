/** Suggests how a command in an allow rule that can't match is to be written (GT-35). */

/** `specifier`: the text in `Bash(…)`. Undefined if it can't be guessed. */
export function suggestCommand(specifier: string): string | undefined {
  const commands = specifier
    .split(/\s*(?:&&|\|\||[;|,])\s*/)
    .filter((one) => one !== '')
    .map((one) => suggestOne(one));
  if (commands.length === 0 || commands.length > 5 || commands.includes(undefined)) return undefined;
  const rules = [...new Set(commands)].join(', ');
  if (/\*(?!(?::\*)?$)/.test(specifier) && commands.length === 1)
    return `write the whole command, or ${rules}, which covers more`;
  return commands.length === 1 ? `write ${rules}` : `write one rule for each command: ${rules}`;
}

/** The words before the first `*`, as a prefix. */
function suggestOne(command: string): string | undefined {
  const star = command.indexOf('*');
  const words = (star < 0 ? command : command.slice(0, star)).replace(/[:\s]+$/, '').trim();
  if (words === '' || /["'`$()<>\\]/.test(words)) return undefined;
  return `Bash(${words}${star < 0 ? '' : ':*'})`;
}
