import { it } from 'vitest';
import { mkdirSync, mkdtempSync, writeFileSync, readFileSync, realpathSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { explain } from '../../src/gate/permissions/judge.js';
import { nodeHost } from '../../src/host/node-host.js';
import { parseRule } from '../../src/gate/permissions/rules/rule.js';
it('x', () => {
  const root = realpathSync(mkdtempSync('/var/tmp/cop-x-'));
  execFileSync('bash', ['-c', 'git init -q .; mkdir src x sub dir; echo 1 > src/a.ts; echo x > README.md; echo k > .env; git -c user.name=a -c user.email=a@b.c add . ; git -c user.name=a -c user.email=a@b.c commit -qm x'], { cwd: root });
  const host = nodeHost(root);
  const rules = (process.env.DENY ?? '').split(';').filter(Boolean).map((t) => parseRule(t, 'deny', { source: 'x', base: root }).rule!).concat((process.env.ALLOW ?? '').split(';').filter(Boolean).map((t) => parseRule(t, 'allow', { source: 'x', base: root }).rule!));
  for (const line of readFileSync(process.env.LIST!, 'utf8').split('\n').filter(Boolean)) {
    const policy = { mode: 'default' as const, rules, roots: [root], home: '/root', trusted: true, files: host.files.sync, box: { deniedInGit: false } };
    const call = { tool: 'Bash', input: { command: line }, actions: [{ kind: 'shell' as const, command: line, cwd: root }], cwd: root };
    const a = explain(call, policy).decision;
    const { box, ...off } = policy;
    const b = explain(call, off).decision;
    const show = (d: any) => d.behavior === 'allow' ? `allow(${d.reading?.confined ? 'box' : d.reading ? 'proven' : d.by})` : `${d.behavior}: ${d.reason.slice(0, 90)}`;
    console.log(line.padEnd(52), '|', show(a).padEnd(12), '|', show(b));
  }
});
