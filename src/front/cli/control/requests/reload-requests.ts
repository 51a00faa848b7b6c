/** Requests to reload files. Changes apply from the next prompt on. */

import { agentInfos, must, outputStyles, skillCommands, slashCommands } from '../session-facts.js';
import { refuseFields } from './read-fields.js';
import { type RequestHandlers, RequestRefused } from './request-handler.js';

const FRESH = { fresh: true } as const;

export const reloadRequests: RequestHandlers = {
  reload_skills: async (_, { session }) => ({ skills: await skillCommands(session, FRESH) }),
  reload_output_styles: async (_, { session }) => ({ available_output_styles: await outputStyles(session) }),
  reload_plugins: async (request, { session }) => {
    refuseFields(request, ['add_plugins', 'hold_on_cache_impact']);
    const { plugins, added, removed, warnings } = must(await session.execute({ type: 'plugins', ...FRESH }));
    const changed = [...added.map((name) => `${name} added`), ...removed.map((name) => `${name} removed`)];
    // A session loads the hooks, servers and programs of plugins only at its start.
    if (changed.length > 0)
      throw new RequestRefused(`reload_plugins: ${changed.join(', ')}: this applies from the next start on`);
    const { servers } = must(await session.execute({ type: 'servers' }));
    return {
      commands: await slashCommands(session, FRESH),
      agents: await agentInfos(session, FRESH),
      plugins: plugins.map(({ name, folder, version }) => ({
        name,
        path: folder,
        ...(version === undefined ? {} : { version }),
      })),
      mcpServers: servers.map(({ name, status, scope }) => ({ name, status, scope })),
      error_count: warnings.length,
    };
  },
};
