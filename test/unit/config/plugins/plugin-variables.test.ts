/** Where a plugin is and what a user set for it, in its texts, lines for a shell, and servers (EX-20). */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of plugins are written so.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkServer } from '../../../../src/config/mcp/check-server.js';
import { replaceInText } from '../../../../src/config/plugins/plugin-placeholders.js';
import { pluginEnvironment, replaceInShell } from '../../../../src/config/plugins/plugin-variables.js';
import fc from '../../../support/fast-check.js';
import { makeScratch } from '../scratch.js';

const HOSTILE = [
  'plain',
  'two words',
  `it's "both"`,
  '$(touch evil)',
  '`touch evil`',
  '; touch evil #',
  '$HOME',
  '\\',
  '*',
];

const variables = (folder: string) => ({ CLAUDE_PLUGIN_ROOT: folder, PLUGIN_ROOT: folder });

describe('EX-20: in a line for a shell', () => {
  it.each(HOSTILE)(
    'EX-20: the folder %s is one word, however it is quoted, and never read as a part of the line',
    (name) => {
      const scratch = makeScratch();
      const folder = join(scratch.folder, name);
      mkdirSync(folder);
      const words = { variables: variables(folder), options: {} };
      for (const line of [
        'printf %s ${CLAUDE_PLUGIN_ROOT}/x',
        'printf %s "${CLAUDE_PLUGIN_ROOT}/x"',
        `printf %s '\${CLAUDE_PLUGIN_ROOT}/x'`,
        'printf %s ${PLUGIN_ROOT}/x',
        `printf %s "a \\" b" >/dev/null; printf %s \${CLAUDE_PLUGIN_ROOT}/x`,
        `printf %s it\\'s >/dev/null; printf %s \${CLAUDE_PLUGIN_ROOT}/x`,
      ]) {
        const env = { ...process.env, ...pluginEnvironment(words) };
        const out = execFileSync('bash', ['-c', replaceInShell(line, words.variables)], { cwd: scratch.project, env });
        expect(out.toString()).toBe(`${folder}/x`);
      }
      expect(existsSync(join(scratch.project, 'evil'))).toBe(false);
    },
  );

  it('EX-20: whatever the name and the line, no letter of an unplain path gets into it', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.array(fc.constantFrom('"', "'", '\\', ' ', '$(', ')', '#', '${PLUGIN_ROOT}')),
        (odd, parts) => {
          const folder = `/x/ secret${odd}`;
          const line = replaceInShell(parts.join(''), variables(folder));
          expect(line).not.toContain('secret');
        },
      ),
    );
  });

  it('EX-20: options are never put in; unknown variables stay', () => {
    const line = 'run ${user_config.token} ${OTHER} ${CLAUDE_PLUGIN_ROOT}';
    expect(replaceInShell(line, { ...variables('/p'), 'user_config.token': 'x' })).toBe(
      'run ${user_config.token} ${OTHER} /p',
    );
  });
});

describe('EX-20: in texts and processes', () => {
  it('EX-20: both names, options too; what is put in is not checked again', () => {
    const words = { variables: variables('/p/${user_config.k}'), options: { k: '${PLUGIN_ROOT}', 'a-b': '1' } };
    expect(
      replaceInText('${CLAUDE_PLUGIN_ROOT} ${PLUGIN_ROOT} ${user_config.k} ${user_config.none} $PLUGIN_ROOT', words),
    ).toBe('/p/${user_config.k} /p/${user_config.k} ${PLUGIN_ROOT} ${user_config.none} $PLUGIN_ROOT');
    expect(replaceInText('${toString} ${user_config.constructor}', words)).toBe(
      '${toString} ${user_config.constructor}',
    );
    expect(pluginEnvironment(words)).toEqual({
      CLAUDE_PLUGIN_ROOT: '/p/${user_config.k}',
      PLUGIN_ROOT: '/p/${user_config.k}',
      CLAUDE_PLUGIN_OPTION_k: '${PLUGIN_ROOT}',
      CLAUDE_PLUGIN_OPTION_K: '${PLUGIN_ROOT}',
      CLAUDE_PLUGIN_OPTION_a_b: '1',
      CLAUDE_PLUGIN_OPTION_A_B: '1',
    });
  });

  it('EX-20: in command, arguments, environment, URL and headers of its servers', () => {
    const plugin = { variables: variables('/p q'), options: { host: 'example.com', key: 's3' } };
    const place = { env: { NAME: 'n' }, projectRoot: '/project', isForeign: true, plugin };
    const stdio = {
      command: '${CLAUDE_PLUGIN_ROOT}/s',
      args: ['${PLUGIN_ROOT}/x', '${NAME}', '${user_config.key}'],
      env: { K: '${user_config.key}' },
    };
    expect(checkServer(stdio, place)).toMatchObject({
      ok: true,
      config: { command: '/p q/s', args: ['/p q/x', 'n', 's3'], env: { K: 's3' } },
      uses: ['NAME'],
    });
    const remote = {
      type: 'http',
      url: 'https://${user_config.host}/mcp',
      headers: { A: '${user_config.key}' },
      headersHelper: '${CLAUDE_PLUGIN_ROOT}/h ${user_config.key}',
    };
    expect(checkServer(remote, place)).toMatchObject({
      ok: true,
      config: {
        url: 'https://example.com/mcp',
        headers: { A: 's3' },
        headersHelper: '"${CLAUDE_PLUGIN_ROOT}"/h ${user_config.key}',
      },
    });
    expect(checkServer({ command: 'x', args: ['${user_config.none}'] }, place)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('user_config.none: not set: add it to pluginConfigs'),
    });
    // Of no plugin: as it is written.
    const { plugin: _, ...others } = place;
    expect(checkServer({ command: '${user_config.key}' }, others)).toMatchObject({
      config: { command: '${user_config.key}' },
    });
  });
});
