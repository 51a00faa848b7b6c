/** Read-only requests: context, cost, usage, status, models, a file. */

import { VERSION } from '../../../../config/version.js';
import { type ContextReport, sumTokens } from '../../../../engine/inspect/reports.js';
import { realClock } from '../../../../host/clock.js';
import { describeCost } from '../../../view/describe/describe-cost.js';
import { modelUsage } from '../../../view/result.js';
import { totalCost } from '../../../view/session-view.js';
import { accountInfo, modelInfos, must } from '../session-facts.js';
import { optionalTextIn, textIn, wrong } from './read-fields.js';
import type { RequestContext, RequestHandlers } from './request-handler.js';

export const infoRequests: RequestHandlers = {
  get_context_usage: async (request, { session }) => {
    const detail = optionalTextIn(request, 'detail') ?? 'full';
    if (detail !== 'full' && detail !== 'summary') throw wrong(request, 'detail', '"summary" or "full"');
    const { context } = must(await session.execute({ type: 'context' }));
    return contextUsage(context);
  },
  get_session_cost: async (_, { session, view }) => ({ text: describeCost(view.totals, session.models) }),
  get_usage: async (_, context) => usage(context),
  list_models: async (_, { session }) => ({ models: await modelInfos(session) }),
  get_status: async (_, context) => ({ sections: await sections(context) }),
  get_binary_version: async () => ({ version: VERSION }),
  read_file: async (request, { session }) => {
    const path = textIn(request, 'path');
    const encoding = optionalTextIn(request, 'encoding') ?? 'utf-8';
    if (encoding !== 'utf-8' && encoding !== 'base64') throw wrong(request, 'encoding', '"utf-8" or "base64"');
    const most = request.max_bytes ?? undefined;
    if (most !== undefined && !(Number.isSafeInteger(most) && Number(most) > 0)) {
      throw wrong(request, 'max_bytes', 'a whole number above 0');
    }
    const limit = most === undefined ? {} : { maxBytes: Number(most) };
    const file = must(await session.execute({ type: 'read-file', path, encoding, ...limit }));
    return {
      contents: file.content,
      absPath: file.path,
      ...(file.isCut ? { truncated: true } : {}),
      ...(encoding === 'base64' ? { encoding } : { lossy: !file.isExact }),
    };
  },
};

/** Names are for users, ids for programs; colours are those that the clients know. */
function contextUsage(context: ContextReport): object {
  const { window, used, compactsAt, messages } = context;
  const own = context.tools.filter(({ server }) => server === undefined);
  const ofServers = context.tools.filter(({ server }) => server !== undefined);
  const buffer = window - compactsAt;
  const rows = [
    row('system_prompt', 'System prompt', context.system, 'promptBorder'),
    row('system_tools', 'System tools', sumTokens(own), 'inactive'),
    row(
      'mcp_tools',
      'MCP tools',
      sumTokens(ofServers.filter(({ isDeclared }) => isDeclared)),
      'cyan_FOR_SUBAGENTS_ONLY',
    ),
    row('custom_agents', 'Agents', sumTokens(context.agents), 'permission'),
    row('memory_files', 'Memory files', sumTokens(context.instructions), 'claude'),
    row('skills', 'Skills', sumTokens(context.skills), 'warning'),
    row('messages', 'Messages', messages.total, 'purple_FOR_SUBAGENTS_ONLY'),
    row(
      'mcp_tools_deferred',
      'MCP tools (deferred)',
      sumTokens(ofServers.filter((tool) => !tool.isDeclared)),
      'inactive',
      {
        kind: 'deferred',
        isDeferred: true,
      },
    ),
    row('autocompact_buffer', 'Autocompact buffer', buffer, 'inactive', { kind: 'buffer' }),
    row('free_space', 'Free space', Math.max(0, window - used - buffer), 'promptBorder', { kind: 'free' }),
  ];
  return {
    categories: rows.filter(({ tokens }) => tokens > 0),
    totalTokens: used,
    maxTokens: window,
    rawMaxTokens: window,
    percentage: Math.round((used / window) * 100),
    gridRows: [],
    model: context.model,
    memoryFiles: context.instructions.map(({ path, tokens }) => ({ path, type: 'Instructions', tokens })),
    mcpTools: ofServers.map(({ name, server, tokens, isDeclared }) => ({
      name,
      serverName: server,
      tokens,
      isLoaded: isDeclared,
    })),
    systemTools: own.map(({ name, tokens }) => ({ name, tokens })),
    agents: context.agents.map(({ name, scope, file, tokens }) => ({
      agentType: name,
      source: scope,
      ...(file === '' ? {} : { path: file }),
      tokens,
    })),
    skills: {
      totalSkills: context.skills.length,
      includedSkills: context.skills.length,
      tokens: sumTokens(context.skills),
      skillFrontmatter: context.skills.map(({ name, scope, file, tokens }) => ({
        name,
        source: scope,
        path: file,
        tokens,
      })),
    },
    autoCompactThreshold: compactsAt,
    isAutoCompactEnabled: true,
    messageBreakdown: {
      toolCallTokens: messages.calls,
      toolResultTokens: messages.results,
      attachmentTokens: messages.attachments,
      assistantMessageTokens: messages.replies,
      userMessageTokens: messages.prompts,
      redirectedContextTokens: 0,
      unattributedTokens: 0,
      toolCallsByType: messages.byTool.map(({ name, calls, results }) => ({
        name,
        callTokens: calls,
        resultTokens: results,
      })),
      attachmentsByType: [],
    },
    // Only the size of a single request is stored.
    apiUsage: null,
  };
}

type Row = { readonly kind: string; readonly isDeferred?: true };

function row(id: string, name: string, tokens: number, color: string, { kind, ...more }: Row = { kind: 'used' }) {
  return { id, name, tokens, color, kind, ...more };
}

async function usage({ session, view, openedAt }: RequestContext): Promise<object> {
  const { totals } = view;
  // The changes so far are the inverse of a rewind to the beginning.
  const back = await session.execute({ type: 'rewind', to: 1, part: 'files', dryRun: true });
  return {
    session: {
      total_cost_usd: totalCost(totals, session.models),
      total_api_duration_ms: Math.round(totals.apiMs),
      total_duration_ms: Math.round(realClock.elapsed() - openedAt),
      total_lines_added: back.ok ? back.deletions : 0,
      total_lines_removed: back.ok ? back.insertions : 0,
      model_usage: Object.fromEntries(
        [...totals.usageByModel].map(([model, used]) => [model, modelUsage(model, used, session.models)]),
      ),
    },
    subscription_type: null,
    rate_limits_available: false,
    rate_limits: null,
    behaviors: null,
  };
}

async function sections({ session }: RequestContext): Promise<readonly object[]> {
  const { settings } = must(await session.execute({ type: 'settings' }));
  const { account } = must(await session.execute({ type: 'account' }));
  const { apiKeySource, tokenSource } = (await accountInfo(session)) as Record<string, string>;
  const servers = session.serverReports();
  const rows = (list: readonly (readonly [string, string | undefined])[]) =>
    list.flatMap(([label, value]) => (value === undefined || value === '' ? [] : [{ label, value }]));
  return [
    {
      title: 'Session',
      rows: rows([
        ['Version', VERSION],
        ['Session name', session.name],
        ['Session ID', session.id],
        ['cwd', session.cwd],
        ['Transcript', session.isSaved ? session.transcript : undefined],
        ['API key', apiKeySource === 'none' ? undefined : apiKeySource],
        ['Auth token', tokenSource === 'none' ? undefined : tokenSource],
        ['Anthropic base URL', account.endpoint],
      ]),
    },
    {
      title: 'Environment',
      rows: rows([
        ['Model', session.model],
        ['Effort', settings.effort],
        ['Permission mode', session.mode],
        ['Output style', session.outputStyle],
        ['Setting sources', settings.sources.map(({ file }) => file).join(', ')],
        ['MCP servers', servers.map(({ name, status }) => `${name} ${status}`).join(', ')],
      ]),
    },
  ];
}
