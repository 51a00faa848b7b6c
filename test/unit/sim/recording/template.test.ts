/** SF-12: varying values get placeholders, which match the current values. */

import { describe, expect, it } from 'vitest';
import { expandTemplate, placeholder } from '../../../../src/sim/recording/template-text.js';
import { Templater } from '../../../../src/sim/recording/templater.js';
import { Bindings, Trial, unify, unifyText } from '../../../../src/sim/recording/unify.js';
import fc from '../../../support/fast-check.js';
import { KNOWN, template } from './template-stage.js';

const NOW = {
  folder: '/w',
  roots: ['/w', '/mnt/d'],
  home: '/root',
  config: '/root/.claude',
  state: '/var/coppice',
  project: 'w-ffffffffff',
  session: '01b00000-0000-7000-8000-00000000000f',
};

const ENVIRONMENT = (folder: string, branch: string, platform: string, date: string) =>
  `# Environment\nWorking folder: ${folder}\nGit repository: yes, at ${folder}, on ${branch}\nPlatform: ${platform}\nDate: ${date}\nModel: m`;

/** Text with varying values anywhere, also adjacent. */
const pieces = fc.oneof(
  fc.constantFrom(...Object.values(KNOWN).flat(), '0123456789abcdef0', 'fedcba98765432100', 'sh-0a1b2c3d'),
  fc.constantFrom('{{coppice:', '{{coppice:folder}}', '}}', '/', ' ', '\n', '.', '-', 'literal}}', 'agent-1a2b3c4d'),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);

const texts = fc.array(pieces, { maxLength: 12 }).map((all) => all.join(''));

describe('SF-12: placeholders', () => {
  it.each([
    ['at /home/ann/work/app/src', 'at {{coppice:folder}}/src'],
    ['/home/ann/work/app-2 and /home/ann/work/apple', '{{coppice:home}}/work/app-2 and {{coppice:home}}/work/apple'],
    ['/mnt/home/ann /home/anna /home/ann.', '/mnt/home/ann /home/anna {{coppice:home}}.'],
    ['/home/ann/.claude/CLAUDE.md', '{{coppice:config}}/CLAUDE.md'],
    ['/srv/data/x', '{{coppice:root-2}}/x'],
    ['{"p":"a\\n/home/ann/x"}', '{"p":"a\\n{{coppice:home}}/x"}'],
    ['agentId: 0123456789abcdef0 and 0123456789abcdef01', 'agentId: {{coppice:agent-1}} and 0123456789abcdef01'],
    ['sh-0123abcd, sh-0123abcd, sh-99999999', '{{coppice:shell-1}}, {{coppice:shell-1}}, {{coppice:shell-2}}'],
    ['on worktree-agent-0123abcd', 'on worktree-agent-{{coppice:tree-1}}'],
    ['/tool-results/0123456789ab-Bash.txt', '/tool-results/{{coppice:kept-1}}-Bash.txt'],
    ['Inserted cell 0123abcd in x; cell 0123abcd', 'Inserted cell {{coppice:cell-1}} in x; cell {{coppice:cell-1}}'],
    ['see {{coppice:folder}}', 'see {{coppice:literal}}folder}}'],
    [
      '<usage>tokens: 9, tool calls: 1, duration: 77 ms</usage>',
      '<usage>tokens: 9, tool calls: 1, duration: {{coppice:ms}} ms</usage>',
    ],
    ['it took duration: 77 ms', 'it took duration: 77 ms'],
    ['Today is 2026-01-02.', 'Today is {{coppice:date}}.'],
    ['Date: 2026-01-02', 'Date: 2026-01-02'],
    [
      ENVIRONMENT('/home/ann/work/app', 'branch main', 'linux x64', '2026-01-02'),
      ENVIRONMENT('{{coppice:folder}}', '{{coppice:branch}}', '{{coppice:platform}}', '{{coppice:date}}'),
    ],
  ])('SF-12: %s', (text, made) => {
    expect(template(text)).toBe(made);
    expect(unifyText(made, text, new Trial(new Bindings(KNOWN)))).toBe(true);
  });

  it('SF-12: a home of / gets no placeholder; a chosen session id only in our paths', () => {
    expect(new Templater({ home: '/' }).ofText('/etc and /')).toBe('/etc and /');
    const own = new Templater({ ...KNOWN, session: 'test' });
    expect(own.ofText(`a test at ${KNOWN.project}/test/tasks`)).toBe(
      'a test at {{coppice:project}}/{{coppice:session}}/tasks',
    );
  });

  it('SF-12: an id is bound once and must stay the same; a value must be that of now', () => {
    const made = template(`${KNOWN.folder}: 0123456789abcdef0, 0123456789abcdef0`);
    const is = (text: string) => unifyText(made, text, new Trial(new Bindings(NOW)));
    expect(is('/w: aaaaaaaaaaaaaaaaa, aaaaaaaaaaaaaaaaa')).toBe(true);
    expect(is('/w: aaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbb')).toBe(false);
    expect(is('/w: aaaaaaaaaaaaaaaa, aaaaaaaaaaaaaaaa')).toBe(false);
    expect(is('/x: aaaaaaaaaaaaaaaaa, aaaaaaaaaaaaaaaaa')).toBe(false);
    const bindings = new Bindings(NOW);
    const trial = new Trial(bindings);
    unify({ a: [made] }, { a: ['/w: aaaaaaaaaaaaaaaaa, aaaaaaaaaaaaaaaaa'] }, trial);
    expect(bindings.get('agent-1')).toBeUndefined();
    trial.keep();
    expect(bindings.get('agent-1')).toBe('aaaaaaaaaaaaaaaaa');
  });

  it('SF-12: where a value is not known, the first that fits is taken and must stay', () => {
    const bindings = new Bindings();
    const is = (made: string, text: string) => {
      const trial = new Trial(bindings);
      const fits = unifyText(made, text, trial);
      if (fits) trial.keep();
      return fits;
    };
    expect(is('{{coppice:state}}/projects/{{coppice:project}}/x', '/a/b/projects/c-1/x')).toBe(true);
    expect([bindings.get('state'), bindings.get('project')]).toEqual(['/a/b', 'c-1']);
    expect(is('in {{coppice:state}}', 'in /a/b')).toBe(true);
    expect(is('in {{coppice:state}}', 'in /a/c')).toBe(false);
  });

  it('SF-12: names of fields, numbers and structure are compared', () => {
    const same = (one: unknown, other: unknown) => unify(one, other, new Trial(new Bindings(NOW))) === undefined;
    expect(same({ '{{coppice:folder}}/a': 1 }, { '/w/a': 1 })).toBe(true);
    expect(same({ a: 1 }, { a: 1, b: 2 })).toBe(false);
    expect(same({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
    expect(same([1, 2], [1])).toBe(false);
    expect(same(null, {})).toBe(false);
  });
});

describe('SF-12: placeholders, for any text', () => {
  it('SF-12: put in and taken out again it is the same text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const made = template(text);
        const bindings = new Bindings(KNOWN);
        const trial = new Trial(bindings);
        expect(unifyText(made, text, trial), made).toBe(true);
        trial.keep();
        expect(expandTemplate(made, bindings.valueOf)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('SF-12: with the values of now it is the text of now, and it matches', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('folder', 'home', 'session', 'state'), { maxLength: 8 }), (names) => {
        const write = (of: Record<string, unknown>) => names.map((name) => `see ${of[name]} `).join('');
        const made = template(write(KNOWN));
        const bindings = new Bindings(NOW);
        expect(expandTemplate(made, bindings.valueOf)).toBe(write(NOW));
        expect(unifyText(made, write(NOW), new Trial(bindings))).toBe(true);
        expect(made).toBe(names.map((name) => `see ${placeholder(name)} `).join(''));
      }),
    );
  });
});
