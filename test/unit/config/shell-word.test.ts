/** Commands that we tell people to run contain names that others chose (MC-11). */

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellWord } from '../../../src/config/shell-word.js';
import { mcp, runs, setServersStage } from './mcp/servers-stage.js';

const NAMES = ['`id`$(id)', "it's; id", '$HOME "x"', '~root', '!x', '#x', 'a\\b', '*', 'github', 'a.b@c/d:e'];

describe('MC-11: what we say to run', () => {
  it.each(NAMES)('MC-11: the shell reads %s as one word, and runs nothing of it', (name) => {
    const read = execFileSync('sh', ['-c', `printf '[%s]' ${shellWord(name)}`], { encoding: 'utf8' });
    expect(read).toBe(`[${name}]`);
  });

  it('MC-11: plain ones stay as they are; what cannot be seen is written out', () => {
    expect(shellWord('github')).toBe('github');
    expect(shellWord('')).toBe("''");
    expect(shellWord('a\nb\u202e')).toBe("'a\\nb\\u{202e}'");
  });

  it('MC-11: a server that is not approved is reported so', async () => {
    const stage = setServersStage();
    const name = '`id`$(id)';
    stage.write('project/.mcp.json', mcp({ [name]: runs('x'), plain: runs('x') }));
    expect(await stage.why(name)).toMatch(/run coppice mcp approve '`id`\$\(id\)'$/);
    expect(await stage.why('plain')).toMatch(/run coppice mcp approve plain$/);
    expect(await stage.why(name, { trusted: false })).toMatch(/then coppice mcp approve '`id`\$\(id\)'$/);
    expect((await stage.find()).warnings.join()).toContain('start: "`id`$(id)", plain. ');
  });
});
