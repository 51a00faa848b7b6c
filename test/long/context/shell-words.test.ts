// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shell.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { scratchFolder } from '../../support/scratch.js';
import { commandOf, HOSTILE, run, typed } from '../../unit/context/skills/shell-words-stage.js';

describe('EX-12, EX-13: properties', () => {
  const fragments = fc.constantFrom(
    ...['words ', ' ', '"', "'", '$(words ', '$(', ')', '(', '\\', '\\\n', '\n', ' # ', '<<EOF\n', '\nEOF\n', '`'],
    ...['${x:-', '${x}', '}', '$((', '))', 'case x in x) ', ';; esac', 'x=', '>', ' [[ ', ' ]] ', ' =~ ', "$'", '$"'],
    ...['<(', '$', '{ ', 'a[', ']', ';', ' && ', ' | ', ' <<< ', '@(', '=(', 'f() ', '$$', "'{print $1}'"],
    ...['$1', '$1', '"$1"', '$ARGUMENTS', '$ARGUMENTS', "'$ARGUMENTS'", '$first'],
  );

  it('property: no argument escapes from its word, in any command', { timeout: 60_000 }, async () => {
    const folder = await scratchFolder();
    const template = fc.array(fragments, { minLength: 2, maxLength: 12 }).map((all) => `words ${all.join('')}`);
    // It begins with a letter, so that an argument that the command itself runs is no command.
    const args = fc.tuple(fc.constantFrom(...HOSTILE), fc.constantFrom(...HOSTILE)).map((words) => {
      return words.map((word) => typed(`Z${word}`)).join(' ');
    });
    const commands: string[] = [];
    fc.assert(
      fc.property(template, args, (command, given) => void commands.push(commandOf(command, given))),
      {
        numRuns: 400,
      },
    );
    const quoted = commands.map((command) => `'${command.replaceAll("'", "'\\''")}'`);
    const lines = quoted.map((command) => `bash -c ${command} >/dev/null 2>&1 </dev/null; [ ! -e pwned ] || exit 1`);
    const script = `words() { printf '%s ' "$@"; }; export -f words\n${lines.join('\n')}\ntouch done`;
    run(folder, script);
    expect([existsSync(join(folder, 'done')), existsSync(join(folder, 'pwned'))]).toEqual([true, false]);
  });
});
