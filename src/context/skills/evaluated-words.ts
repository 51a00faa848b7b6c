/**
 * Finds where bash evaluates the value of a word a second time, as arithmetic, as a name with a subscript, or as a command:
 * there, a quoted argument would still be code. Pure.
 */

/** Evaluates variables, so an argument that was assigned anywhere in the command may be evaluated. */
const EVALUATES = new RegExp(
  [
    String.raw`\(\(|\$\[|\$\{!|@P\}`,
    String.raw`(?:^|[\s;&|(!\`])(?:let|eval|trap|alias)\s`,
    String.raw`\b(?:declare|typeset|local|readonly|export)\s+(?:-\w+\s+)*-\w*[aAin]`,
    // Offset and length are arithmetic.
    String.raw`\$\{[\w@*]+(?:\[[^\]]*\])?:(?![-=?+])[^}]*[A-Za-z_$]`,
    String.raw`\w\[[^\]\n]*[A-Za-z_$][^\]\n]*\]\+?=|\$\{\w+\[[^\]]*[A-Za-z_$]`,
    String.raw`\[\[(?:(?!\]\])[\s\S])*\s-(?:eq|ne|lt|le|gt|ge)\s`,
    String.raw`\b(?:ba|da|z|k|mk|a)?sh\s+(?:-\w+\s+)*-\w*c\b`,
  ].join('|'),
);

/** True if no argument may be substituted in this command. */
export function evaluatesVariables(command: string): boolean {
  return EVALUATES.test(command);
}

const BEFORE_COMMAND = /^(?:(?:if|while|until|then|do|else|elif|time|command|builtin|!|\{)\s+|[A-Za-z_]\w*\+?=\S*\s+)+/;
/** Their operands are names, which may have a subscript. */
const TAKES_NAMES = /^(?:read|unset|getopts|mapfile|readarray|wait|declare|typeset|local|readonly|export)\s/;
const TAKES_NAME_AFTER_V = /^(?:printf|test|\[\[?)\s(?:[\s\S]*\s)?-v\s*["']?$/;

/**
 * True if the next word is a name that a builtin evaluates. `before`: the simple command up to a placeholder; a word that is
 * assigned, or read from a here-string, is not a name.
 */
export function isEvaluatedName(before: string): boolean {
  const own = before.trimStart().replace(BEFORE_COMMAND, '');
  if (TAKES_NAME_AFTER_V.test(own)) return true;
  return TAKES_NAMES.test(own) && !/(?:<<<\s*|(?:^|\s)[A-Za-z_]\w*\+?=)(?:[^\s"']|"[^"]*|'[^']*)*$/.test(own);
}
