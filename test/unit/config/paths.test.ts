import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findRepoRoot } from '../../../src/config/find-repo-root.js';
import {
  configDir,
  coppiceHome,
  isFileName,
  projectKey,
  refuseHome,
  sessionLayout,
  userHome,
} from '../../../src/config/paths.js';
import fc from '../../support/fast-check.js';
import { makeScratch } from './scratch.js';

describe('places', () => {
  it('takes folders from the environment, or the home folder', () => {
    expect(coppiceHome({ HOME: '/h' })).toBe('/h/.coppice');
    expect(coppiceHome({ HOME: '/h', COPPICE_HOME: '/x' })).toBe('/x');
    expect(coppiceHome({ HOME: '/h', COPPICE_HOME: ' ' })).toBe('/h/.coppice');
    expect(configDir({ HOME: '/h' })).toBe('/h/.claude');
    expect(configDir({ HOME: '/h', COPPICE_CONFIG_DIR: '/c' })).toBe('/c');
  });

  it('takes a home that is not absolute from nobody: the user’s own instead, or a reason that says what to set', () => {
    for (const HOME of ['', ' ', 'here', './here']) {
      expect(userHome({ HOME })).toBe(homedir());
      expect(refuseHome({ HOME })).toBeUndefined();
    }
    for (const COPPICE_HOME of ['state', './state', '~/state']) {
      expect(refuseHome({ HOME: '/h', COPPICE_HOME })).toContain('set it to an absolute path');
      expect(() => coppiceHome({ HOME: '/h', COPPICE_HOME })).toThrow('COPPICE_HOME');
    }
  });

  it('never gives two paths one project key, however similar they are', () => {
    expect(new Set(['/a/b-c', '/a/b_c', '/a/b.c', '/a/b/c', '/a b/c'].map(projectKey)).size).toBe(5);
    expect(projectKey('/home/me/my project')).toMatch(/^home-me-my-project-[0-9a-f]{12}$/);
    expect(projectKey('/')).toMatch(/^root-[0-9a-f]{12}$/);
    fc.assert(fc.property(fc.string(), (path) => isFileName(projectKey(`/${path}`))));
  });

  it('lays a session out as the README says', () => {
    const layout = sessionLayout('/h', 'p-1', 's1');
    expect(layout.file).toBe('/h/projects/p-1/s1.jsonl');
    expect(layout.agentFile('a1')).toBe('/h/projects/p-1/s1/subagents/agent-a1.jsonl');
    expect(layout.prefixFile('ab')).toBe('/h/projects/p-1/s1/prefixes/ab.json');
    expect(layout.taskOutput('t')).toBe('/h/projects/p-1/s1/tasks/t.output');
    expect(layout.toolResults).toBe('/h/projects/p-1/s1/tool-results');
    expect(() => sessionLayout('/h', 'p', '../../etc')).toThrow(RangeError);
    expect(() => layout.agentFile('..')).toThrow(RangeError);
  });

  it('finds the repository above a folder, by a .git folder or file', async () => {
    const { host, project } = makeScratch();
    const deep = join(project, 'a', 'b');
    mkdirSync(deep, { recursive: true });
    expect(await findRepoRoot(host, deep)).toBeUndefined();
    mkdirSync(join(project, '.git'));
    expect(await findRepoRoot(host, deep)).toBe(project);
    writeFileSync(join(project, 'a', '.git'), 'gitdir: elsewhere');
    expect(await findRepoRoot(host, deep)).toBe(join(project, 'a'));
  });
});
