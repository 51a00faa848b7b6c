/** A home and a project on disk, and the question a session would ask about their MCP servers. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { serverApproval } from '../../../../src/config/approvals/project-servers.js';
import { findServers } from '../../../../src/config/mcp/find-servers.js';
import { findUnapprovedServers } from '../../../../src/config/mcp/find-unapproved-servers.js';
import type { ServersQuery } from '../../../../src/config/mcp/read-servers.js';
import { readSettings } from '../../../../src/config/settings/read-settings.js';
import { openTrust } from '../../../../src/config/trust.js';
import type { Host } from '../../../../src/host/host.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { makeScratch, type Scratch } from '../scratch.js';

export type AskedServers = Partial<Omit<ServersQuery, 'host' | 'settings'>> & {
  readonly env?: Readonly<Record<string, string>>;
  /** As `--settings` gives it. */
  readonly flagSettings?: object;
};

export type ServersStage = Scratch & {
  question(asked?: AskedServers): Promise<ServersQuery>;
  find(asked?: AskedServers): ReturnType<typeof findServers>;
  /** What a yes to everything that waits stores. */
  approveAll(asked?: AskedServers): Promise<void>;
  /** The names that may run. */
  running(asked?: AskedServers): Promise<readonly string[]>;
  /** Why it is not started: `status: reason`. */
  why(name: string, asked?: AskedServers): Promise<string | undefined>;
};

export function setServersStage(): ServersStage {
  const scratch = makeScratch();
  mkdirSync(join(scratch.project, '.git'));
  const question = async ({ env, flagSettings, ...asked }: AskedServers = {}): Promise<ServersQuery> => {
    const host: Host = nodeHost(asked.folder ?? scratch.project, { ...scratch.host.env, ...env });
    const { trusted = true, sources } = asked;
    const settings = await readSettings({
      host,
      cwd: host.folder,
      projectRoot: asked.projectRoot ?? scratch.project,
      env: host.env,
      trusted,
      ...(flagSettings ? { commandLineText: { text: JSON.stringify(flagSettings), name: '--settings' } } : {}),
      ...(sources ? { sources } : {}),
    });
    const place = { folder: host.folder, projectRoot: scratch.project, approvalsRoot: scratch.project };
    return { host, ...place, trusted, trustThisRun: false, settings, ...asked };
  };
  const find = async (asked?: AskedServers) => findServers(await question(asked));
  return {
    ...scratch,
    question,
    find,
    approveAll: async (asked) => {
      const q = await question(asked);
      const waiting = await findUnapprovedServers(q, []);
      const approvals = waiting.map(({ server }) => serverApproval(server));
      await openTrust(q.host).approve(q.approvalsRoot, approvals);
    },
    running: async (asked) => (await find(asked)).servers.map(({ name }) => name),
    why: async (name, asked) => {
      const { skipped } = await find(asked);
      const one = skipped.find((skip) => skip.name === name);
      return one && `${one.status}: ${one.reason}`;
    },
  };
}

export const mcp = (mcpServers: object) => ({ mcpServers });
export const runs = (command: string, more: object = {}) => ({ command, ...more });
