/** Rendering a skill: substituted values, and commands in its text. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are written so.

import { describe, expect, it } from 'vitest';
import { type RenderFacts, renderSkill, substituteRules } from '../../../../src/context/skills/render-skill.js';

const render = (body: string, args = '', more: Partial<RenderFacts> = {}) =>
  renderSkill(body, { args, argumentNames: [], variables: {}, ...more });

/** All of it as one text, with commands in ⟨⟩. */
const show = (body: string, args = '', more: Partial<RenderFacts> = {}) =>
  render(body, args, more)
    .map((part) => (part.kind === 'text' ? part.text : `⟨${part.command}⟩`))
    .join('');

const commands = (body: string, args = '') =>
  render(body, args).flatMap((part) => (part.kind === 'shell' ? [part.command] : []));

describe('EX-12: arguments', () => {
  it.each([
    ['Fix $ARGUMENTS now.', 'a "b c"', 'Fix a "b c" now.'],
    ['$ARGUMENTS[0] and $ARGUMENTS[1]', 'a "b c"', 'a and b c'],
    ['$ARGUMENTS[x]', 'a', 'a[x]'],
    ['$1, $2.', 'a "b c"', 'a, b c.'],
    ['$1.md $1-$2 ($1)', 'a b', 'a.md a-b (a)'],
    ['$0 $1', 'a b', 'a b'],
    ['$1 $ARGUMENTS[0]', 'a b', 'b a'],
    ['[$ARGUMENTS]', '', '[]'],
    ['$1', '""', ''],
    ['$1 $2', "it's here", "it's here"],
  ])('%s with %s', (body, args, expected) => {
    expect(show(body, args)).toBe(expected);
  });

  it('EX-12: a $0 or an index in code or behind a backslash: the $0 is ignored, the index in code is used', () => {
    expect(show("$1 `awk '{print $0}'`", 'a b')).toBe("a `awk '{print $0}'`");
    expect(show('$1 \\$0 $0.50', 'a b')).toBe('a $0 $0.50');
    expect(show('$1 `$ARGUMENTS[0]`', 'a b')).toBe('b `a`');
    expect(commands('$1 !`echo $0`', 'a b')).toEqual(["echo 'a'"]);
  });

  it('EX-12: names, the longest first, on a word boundary', () => {
    const names = { argumentNames: ['file', 'file-name', 'größe'] };
    expect(show('$file $file-name $file-names $files $file_x $größe $größen', 'a b c', names)).toBe(
      'a b a-names $files $file_x c $größen',
    );
    expect(show('$file $größe', 'a', names)).toBe('a $größe');
    expect(show('$ $1 $10', 'a b', { argumentNames: ['', '1', '10'] })).toBe('$ a $10');
    expect(show('$toString $x', 'a', { argumentNames: ['x'] })).toBe('$toString a');
  });

  it.each([
    ['$3 $ARGUMENTS[7] $9', 'a b', '$3 $ARGUMENTS[7] $9'],
    ['\\$1 \\$ARGUMENTS \\$1.50', 'a b', '$1 $ARGUMENTS $1.50'],
    ['\\\\$1 \\n \\$x', 'a', '\\\\a \\n \\$x'],
    ['$1.50 $1,000 $1M $1k $1_000 $100 $1st $01', 'a b', '$1.50 $1,000 $1M $1k $1_000 $100 $1st $01'],
    ['$$1 $ARGUMENTSX $ARGUMENTS_2 ${1} $(x)', 'a b', '$$1 $ARGUMENTSX $ARGUMENTS_2 ${1} $(x)'],
  ])('EX-12: left alone: %s', (body, args, expected) => {
    expect(show(`${body} $2 [$ARGUMENTS]`, args).startsWith(expected)).toBe(true);
  });

  it('EX-12: three digits are money, however many arguments there are', () => {
    const args = Array.from({ length: 120 }, (_, n) => `a${n + 1}`).join(' ');
    expect(show('$99 $100', args)).toBe('a99 $100');
  });

  it('EX-12: positions in code are the code’s own (#94709); $ARGUMENTS and names are not', () => {
    const fence = "```bash\nawk '{print $1}' \\$2\n```\n";
    expect(show(`${fence}$1`, 'a b')).toBe(`${fence}a`);
    expect(show("`awk '{print $1}'` and ``$2 ` $1`` $1", 'a b')).toBe("`awk '{print $1}'` and ``$2 ` $1`` a");
    expect(show('~~~\n$1 $ARGUMENTS $x \\$ARGUMENTS\n~~~', 'a b', { argumentNames: ['x'] })).toBe(
      '~~~\n$1 a b a $ARGUMENTS\n~~~',
    );
    expect(show('```\n$1', 'a')).toBe('```\n$1\n\nARGUMENTS: a');
    const within = '````md\n```\n$1\n```\n$1\n````\n';
    expect(show(`${within}$1`, 'a')).toBe(`${within}a`);
  });

  it('EX-12: substituted values are not parsed again', () => {
    const hostile = '$2 ${CLAUDE_SESSION_ID} $ARGUMENTS';
    const variables = { CLAUDE_SESSION_ID: 's $1', CLAUDE_SKILL_DIR: '/x/$1/!`id`' };
    expect(show('$1|$ARGUMENTS[0]', `'${hostile}' b`, { variables })).toBe(`b|${hostile}`);
    expect(show('${CLAUDE_SESSION_ID} $1', 'a', { variables })).toBe('s $1 a');
    expect(show('${CLAUDE_SKILL_DIR} $ARGUMENTS', '!`id`', { variables })).toBe('/x/$1/!`id` !`id`');
    expect(render('$ARGUMENTS\n!`date`', '```\n')).toEqual([
      { kind: 'text', text: '```\n\n' },
      { kind: 'shell', command: 'date' },
    ]);
    expect(commands('$ARGUMENTS', '!`id`\n```!\nid\n```\n')).toEqual([]);
    expect(show('a\\$ARGUMENTS', 'x')).toBe('a$ARGUMENTS\n\nARGUMENTS: x');
  });

  it('EX-12: if no argument was put in, they come at the end', () => {
    expect(show('Do it.', 'a  "b"')).toBe('Do it.\n\nARGUMENTS: a  "b"');
    expect(show('Do it.', ' \n')).toBe('Do it.');
    expect(show('Do $2.', 'a')).toBe('Do $2.\n\nARGUMENTS: a');
    expect(show('Do $1.', 'a b')).toBe('Do a.');
    expect(show('`$1`', 'a')).toBe('`$1`\n\nARGUMENTS: a');
    expect(show('${CLAUDE_EFFORT}', 'a', { variables: { CLAUDE_EFFORT: 'high' } })).toBe('high\n\nARGUMENTS: a');
    expect(show('!`echo $1`', 'a')).toBe("⟨echo 'a'⟩");
    expect(show('!`date`', 'a')).toBe('⟨date⟩\n\nARGUMENTS: a');
    expect(render('', 'a')).toEqual([{ kind: 'text', text: '\n\nARGUMENTS: a' }]);
    expect(render('')).toEqual([]);
  });
});

describe('EX-12: variables', () => {
  const variables = {
    CLAUDE_SKILL_DIR: '/s k',
    CLAUDE_PROJECT_DIR: '/p',
    CLAUDE_PLUGIN_ROOT: '/r',
    CLAUDE_PLUGIN_DATA: '/d',
    'user_config.api-key': 'k',
  };

  it('by the name in the braces, in prose, code and commands', () => {
    const body = '${CLAUDE_SKILL_DIR}/x\n```\n${CLAUDE_PROJECT_DIR}\n```\n!`cat ${CLAUDE_SKILL_DIR}/x`';
    expect(show(body, '', { variables })).toBe("/s k/x\n```\n/p\n```\n⟨cat '/s k'/x⟩");
    expect(show('${CLAUDE_EFFORT} $CLAUDE_SKILL_DIR ${toString} \\${CLAUDE_PROJECT_DIR}', '', { variables })).toBe(
      '${CLAUDE_EFFORT} $CLAUDE_SKILL_DIR ${toString} ${CLAUDE_PROJECT_DIR}',
    );
  });

  it('EX-20: those of plugins also without CLAUDE_, and options never in a command', () => {
    const body = '${CLAUDE_PLUGIN_ROOT} ${PLUGIN_ROOT} ${PLUGIN_DATA} ${SKILL_DIR}';
    const ofPlugin = { ...variables, PLUGIN_ROOT: '/r', PLUGIN_DATA: '/d' };
    expect(show(body, '', { variables: ofPlugin })).toBe('/r /r /d ${SKILL_DIR}');
    expect(show('${PLUGIN_ROOT}', '', { variables })).toBe('${PLUGIN_ROOT}');
    expect(show('${user_config.api-key} !`x "${user_config.api-key}" $1`', 'a', { variables })).toBe(
      `k ⟨x "\${user_config.api-key}" 'a'⟩`,
    );
    expect(show('```!\nx ${user_config.api-key}\n```', '', { variables })).toBe('⟨x ${user_config.api-key}⟩');
  });

  it('EX-12: paths in allowed-tools', () => {
    const rules = [
      'Bash(${CLAUDE_SKILL_DIR}/run.sh *)',
      'Bash(node ${CLAUDE_PLUGIN_ROOT}/x.js:*)',
      'Read(${CLAUDE_PROJECT_DIR}/docs/**)',
      'Edit(//${PLUGIN_DATA}/**)',
      'Read(a/${CLAUDE_EFFORT})',
      'Grep',
    ];
    expect(substituteRules(rules, { ...variables, PLUGIN_DATA: '/d', CLAUDE_EFFORT: 'x' })).toEqual([
      "Bash('/s k'/run.sh *)",
      'Bash(node /r/x.js:*)',
      'Read(//p/docs/**)',
      'Edit(///d/**)',
      'Read(a/${CLAUDE_EFFORT})',
      'Grep',
    ]);
  });

  it.each(['/a*', '/a)', '/(a', "/it's", '/a\\b', '/a\nb', '/$(x)', '/a;b', '/[a]', '/{a}', ''])(
    'EX-12: a folder named %j widens no rule',
    (folder) => {
      const rules = ['Read(${CLAUDE_SKILL_DIR}/x)', 'Bash(${CLAUDE_SKILL_DIR}/x *)'];
      expect(substituteRules(rules, { CLAUDE_SKILL_DIR: folder })).toEqual(rules);
    },
  );
});

describe('EX-13: which parts are commands', () => {
  it.each([
    ['!`git status`', ['git status']],
    ['Now: !`date` and\t!`pwd`', ['date', 'pwd']],
    ['- !`date`\n> !`pwd`\n    !`id`', ['date', 'pwd', 'id']],
    ['x\r\n!`date`\r\n', ['date']],
    ['```!\na\nb\n```', ['a\nb']],
    ['````!  \n```\na\n````', ['```\na']],
    ['1. Item\n   ```!\n   if x; then\n     y\n   fi\n   ```\n', ['if x; then\n  y\nfi']],
    ['```!\r\na\r\n```\r\n!`b`', ['a', 'b']],
    ['A ` sign\n\n!`date`', ['date']],
    ['- a ` sign\n- !`date`', ['date']],
    ['# a ` sign\n!`date`', ['date']],
    ['``` x ```\n!`date`', ['date']],
  ])('%j', (body, expected) => {
    expect(commands(body)).toEqual(expected);
  });

  it.each([
    'x!`date`',
    '(!`date`)',
    '\\!`date`',
    '!\\`date`',
    '! `date`',
    '!`date',
    '!` `',
    '!``date``',
    '!`a\nb`',
    'Write `` !`date` `` so',
    'Write ``` !`date` ``` so',
    'a ` here !`date`',
    '```\n!`date`\n```',
    '```sh\n!`date`',
    '~~~\n!`date`\n```\n!`date`\n~~~',
    '````md\n```!\ndate\n```\n````',
    '```md\n    ```\n!`date`\n```',
    '  - x\n    ```\n    !`date`\n    ```',
    '- ```\n  !`date`\n  ```',
    '> ```\n> !`date`\n> ```',
    '> ```!\n> date\n> ```',
    '```!\ndate',
    '```!bash\ndate\n```',
    '```bash !\ndate\n```',
    '~~~!\ndate\n~~~',
    '```!\n\n```',
    '```! date ```',
  ])('EX-13: text, not a command: %j (#12781)', (body) => {
    expect(render(body)).toEqual([{ kind: 'text', text: body }]);
  });

  it('the text around a command stays as it is', () => {
    expect(show('a !`b`, c\n- ```!\n  d\n  ```\ne')).toBe('a ⟨b⟩, c\n- ⟨d⟩\ne');
    expect(show('```\n!`a`\n```\n!`b`\n``` x\n!`c`\n```\n')).toBe('```\n!`a`\n```\n⟨b⟩\n``` x\n!`c`\n```\n');
  });

  it('a hundred thousand backticks take no longer than they are many', () => {
    const body = Array.from({ length: 40_000 }, (_, n) => '`'.repeat(1 + (n % 9))).join(' ');
    expect(render(body)).toEqual([{ kind: 'text', text: body }]);
    const lone = Array.from({ length: 600 }, (_, n) => '`'.repeat(n + 3)).join(' x ');
    expect(render(lone)).toEqual([{ kind: 'text', text: lone }]);
  });
});
