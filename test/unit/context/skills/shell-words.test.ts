/** Arguments in commands of a skill, as a real shell gets them. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shell.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderSkill } from '../../../../src/context/skills/render-skill.js';
import fc from '../../../support/fast-check.js';
import { scratchFolder } from '../../../support/scratch.js';
import { commandOf, HOSTILE, NAMES, run, typed } from './shell-words-stage.js';

const anyWord = fc.string({
  unit: fc.constantFrom('a', ' ', "'", '"', '\\', '$', '`', '\n', ';', '(', ')', '#', '*', '!', '<', '&', '🌳', '$1'),
  maxLength: 12,
});

describe('EX-13: an argument is one word, whatever it contains', () => {
  it.each([
    ['words $1', (a: string) => [a]],
    ['words "$1"', (a: string) => [a]],
    ["words '$1'", (a: string) => [a]],
    ['words $first x', (a: string) => [a, 'x']],
    ['words "a $1 b" \'c $first d\'', (a: string) => [`a ${a} b`, `c ${a} d`]],
    ['words a$1/b "$1"$1', (a: string) => [`a${a}/b`, a + a]],
    ['words "$(words $1 | tr -d "\\0")"', (a: string) => [a.replace(/\n+$/, '')]],
    ['words "$(words "<$1>" | tr -d \'\\0\')" "$1"', (a: string) => [`<${a}>`, a]],
    ['x="$(true)"$1; words "$x"', (a: string) => [a]],
    ['x=$1; words "$x"', (a: string) => [a]],
    ['(words $1)', (a: string) => [a]],
    ['words a; { words "$1"; } # it\'s "', (a: string) => ['a', a]],
    ['words ${x:-a} "${HOME#/}b" >/dev/null; words $1', (a: string) => [a]],
    ["words '{print $1}' \"\\$1\" '\\$1' \\$1", () => ['{print $1}', '$1', '$1', '$1']],
    ['words $$$1 | grep -c . >/dev/null; words "$$"$1 >/dev/null; words $1', (a: string) => [a]],
    ['words \\\n  $1', (a: string) => [a]],
    ['f() { words "$1"; }; f x', (a: string) => [a]],
    ['a=(x $1); words "${#a}" "$1"', (a: string) => ['1', a]],
    ['if [[ $1 == "$1" ]]; then words $1; fi', (a: string) => [a]],
    ['words "$2"', () => ['']],
  ])('%s', async (command, expected) => {
    const folder = await scratchFolder();
    const all = HOSTILE.map((word) => `${commandOf(command, typed(word))}\nwords ---\n`);
    expect(run(folder, all.join(''))).toEqual(HOSTILE.flatMap((word) => [...expected(word), '---']));
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    '[[ $1 -eq 1 ]]',
    'if [[ 1 -lt "$1" ]]; then words a; fi',
    'x=$1; [[ $x -eq 1 ]]',
    'let $1',
    'let "x = $1"',
    'printf -v $1 x',
    'printf -v "$1" x',
    'read $1 <<< x',
    'true && read -r "$1" <<< x',
    'declare -i x=$1',
    'x=$1; declare -i y=x',
    'declare $1=x',
    'export "$1"',
    'unset $1',
    'words $(( $1 ))',
    'x=$1; words $((x))',
    'x=$1; (( x > 1 ))',
    'x=$1; words $[x]',
    'x=$1; a=(1 2); words ${a[x]}',
    'x=$1; y=abc; words ${y:x}',
    'x=$1; a[$x]=1',
    'x=$1; words ${!x}',
    'x=$1; words ${x@P}',
    'test -v $1',
    '[ -v "$1" ]',
    '[[ -v $1 ]]',
    'eval words $1',
    'eval "words $1"',
    'bash -c "words $1"',
    'trap "$1" EXIT',
  ])('EX-13 GT-3: %s: an argument is not evaluated', async (command) => {
    const folder = await scratchFolder();
    for (const word of [
      ...HOSTILE,
      'a[$(touch pwned)]',
      'a[$(touch pwned)]=1',
      '$(touch pwned)',
      'x=a[$(touch pwned)]',
    ])
      run(folder, commandOf(command, typed(word)));
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['read -r x <<< "$1"; words "$x"', 'a b'],
    ['export X=$1; words "$X"', 'a b'],
    ['printf -v x %s "$1"; words "$x"', 'a b'],
    ['grep -v x <<< "$1"  | tr "\\n" "\\0"', 'a b'],
    ['[[ $1 == "a b" ]] && words "$1"', 'a b'],
  ])('EX-13: %s: an argument that is only a value is substituted', async (command, said) => {
    expect(run(await scratchFolder(), commandOf(command, '"a b"'))).toEqual([said]);
  });

  it.each([
    ['words $ARGUMENTS', ['a', "'; touch pwned; '", 'c d']],
    ['words x$ARGUMENTS', ['xa', "'; touch pwned; '", 'c d']],
    ['a=($ARGUMENTS); words "${a[@]}"', ['a', "'; touch pwned; '", 'c d']],
    ['for one in $ARGUMENTS; do words "$one"; done', ['a', "'; touch pwned; '", 'c d']],
    ['words "$ARGUMENTS"', [`a "'; touch pwned; '" 'c d'`]],
    ["words '$ARGUMENTS'", [`a "'; touch pwned; '" 'c d'`]],
    ['words "$(words "$ARGUMENTS" | tr -d "\\0")"', [`a "'; touch pwned; '" 'c d'`]],
    ['[[ -n $ARGUMENTS ]] && words yes', ['yes']],
  ])('EX-13: %s: all words, or the typed text in quotes', async (command, expected) => {
    const folder = await scratchFolder();
    expect(run(folder, commandOf(command, `a "'; touch pwned; '" 'c d'`))).toEqual(expected);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    'x=$ARGUMENTS',
    'x=""$ARGUMENTS',
    'x="$(true)"$ARGUMENTS',
    'x=$(true)$ARGUMENTS',
    'x=\\\n$ARGUMENTS',
    'export y=1; x+=$ARGUMENTS',
    '> out $ARGUMENTS[3]; >$ARGUMENTS',
    '> \\\n  $ARGUMENTS',
    '>| $ARGUMENTS',
    'cat <<< $ARGUMENTS',
  ])('EX-13: %s is followed by no command of the arguments', async (command) => {
    const folder = await scratchFolder();
    run(folder, commandOf(command, 'out touch pwned'));
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  it('EX-13: without arguments $ARGUMENTS is nothing, and an empty word in quotes', async () => {
    const folder = await scratchFolder();
    expect(run(folder, commandOf('words a $ARGUMENTS b', ''))).toEqual(['a', 'b']);
    expect(run(folder, commandOf('words a "$ARGUMENTS" b', ''))).toEqual(['a', '', 'b']);
    expect(run(folder, commandOf('x=$ARGUMENTS; words "$x"', ''))).toEqual(['']);
    expect(run(folder, commandOf('words ${CLAUDE_SKILL_DIR}/x "${CLAUDE_SKILL_DIR}"', ''))).toEqual([
      "/it's $(touch pwned)/x",
      "/it's $(touch pwned)",
    ]);
  });

  it('EX-13: a NUL can not be in a word', () => {
    expect(commandOf('words $1', 'a\0b')).toBe("words 'ab'");
  });
});

describe('EX-13: where a word is not possible, nothing is substituted', () => {
  it.each([
    'words a # $1 "$ARGUMENTS"',
    '#$1',
    'cat <<EOF\n$1\nEOF',
    "cat <<'EOF'\n$ARGUMENTS\nEOF",
    'cat <<-EOF\n\t$1\nEOF',
    'words `words $1`',
    'words "`words $1`"',
    'words $(( $1 + 1 ))',
    '(( $1 ))',
    'words $[ $1 ]',
    'for (( i = $1; i < 1; i++ )); do :; done',
    "words $'a $1'",
    'words $"a $1"',
    'words ${x:-$1}',
    'words "${x:-"$1"}"',
    'words "$(case a in a) words $1;; esac)"',
    'case $1 in *) words "$1";; esac',
    'a[$1]=1',
    '[[ x =~ ($1) ]]',
    'words "$(words [(] )" $1 ")"',
    'words ) $1',
    'words "$1',
    "words '$1",
    'words ($1',
    'words $$1 "$$ARGUMENTS"',
    'words \\$1 "\\$ARGUMENTS"',
  ])('%j', (command) => {
    for (const word of HOSTILE) expect(commandOf(command, typed(word))).toBe(command);
    expect(renderSkill(`\`\`\`!\n${command}\n\`\`\``, { args: 'x', argumentNames: [], variables: {} }).at(-1)).toEqual({
      kind: 'text',
      text: '\n\nARGUMENTS: x',
    });
  });
});

describe('EX-12, EX-13: properties', () => {
  const pieces = fc.constantFrom(
    'prose $1 ',
    '$ARGUMENTS',
    '\n',
    '\n\n',
    '`code $1` ',
    '!`words $1 "$2"` ',
    '\n!`words $ARGUMENTS`\n',
    '\n```!\nwords "$first"\n```\n',
    '\n```\n$ARGUMENTS !`x`\n```\n',
    '\n~~~\n',
    '`',
    '$ARGUMENTS[1] ',
    '- ',
    '\\',
  );

  it('property: no argument changes which commands there are', () => {
    const shape = (body: string, args: string) =>
      renderSkill(body, { args, argumentNames: NAMES, variables: {} })
        .map((part) => (part.kind === 'shell' ? part.command.split(' ')[0] : ''))
        .filter((word) => word !== '');
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 12 }).map((all) => all.join('')),
        fc.oneof(anyWord, fc.string(), fc.constantFrom('```', '```!\nid\n```', '!`id`', '~~~\n', '`')),
        (body, args) => {
          expect(shape(body, args)).toEqual(shape(body, ''));
        },
      ),
    );
  });

  it('property: bash gets exactly the words', { timeout: 60_000 }, async () => {
    const folder = await scratchFolder();
    fc.assert(
      fc.property(fc.array(anyWord, { maxLength: 4 }), (words) => {
        const args = words.map(typed).join(' ');
        const [one, two] = [words[0] ?? '', words[1] ?? ''];
        const all = ['words $ARGUMENTS', 'words "$1" x$2', 'words "$(words $1 "$2" | tr "\\0" ,)"'].map((command) =>
          commandOf(command, args),
        );
        // A placeholder that is left alone is an unset variable: no word, if it is outside of quotes.
        const both = words.length === 0 ? ',' : `${one},${two},`;
        expect(run(folder, all.join('\n'))).toEqual([...(words.length === 0 ? [''] : words), one, `x${two}`, both]);
      }),
      { numRuns: 60 },
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});
