/**
 * Announces servers' instructions to an agent, and the servers it must do without. Each once, as a reminder. Servers
 * that may not run are not announced: text from an unapproved folder can't be trusted.
 */

import { createHash } from 'node:crypto';
import { text } from '../../protocol/blocks.js';
import { escapeControls } from '../../protocol/escape-controls.js';
import type { ServerReport } from '../../protocol/mcp/server-report.js';
import { reminder } from '../../protocol/tags.js';
import { announcedTo } from '../../session/state/agent-state.js';
import type { Servers } from '../../tools/mcp/server-access.js';
import type { LiveAgent } from '../live-agent.js';

const TOPIC = 'mcp server ';
/** The limit for one server's instructions, and for the report of one that failed. */
const LONGEST = 2_048;
const LONGEST_REASON = 400;
/** The limit for all announcements together. */
const LONGEST_WHOLE = 20_000;

/** `isAbout`: selects the servers to announce. */
export async function announceServers(
  servers: Servers,
  agent: LiveAgent,
  isAbout: (report: ServerReport) => boolean = () => true,
): Promise<void> {
  const announced = announcedTo(agent.state);
  const news = describeServers(servers, isAbout).filter(({ topic, hash }) => announced[topic] !== hash);
  // Something never announced needs no update when it ends.
  const fresh = news.filter(({ topic, words }) => words !== '' || announced[topic] !== undefined);
  if (fresh.length === 0) return;
  const announcements = Object.fromEntries(fresh.map(({ topic, hash }) => [topic, hash]));
  const content = fresh.map((one) => one.words || `The MCP server ${one.name} can be used again.`).join('\n\n');
  const key = `servers after ${agent.state.lastSeq}`;
  await agent.inbox.admit({ origin: 'reminder', key, announcements }, [text(reminder(cut(content, LONGEST_WHOLE)))]);
}

/** An empty text: nothing to announce. */
function describeServers(servers: Servers, isAbout: (report: ServerReport) => boolean) {
  const instructions = new Map(servers.offers().map((offer) => [offer.server.name, offer.instructions?.trim()]));
  return servers.reports().flatMap((report) => {
    const { status } = report;
    const isReported = status === 'connected' || status === 'failed' || status === 'needs-sign-in';
    if (!isReported || !isAbout(report)) return [];
    const name = JSON.stringify(escapeControls(report.name));
    const words =
      status === 'connected' ? describeUse(name, instructions.get(report.name)) : describeFailure(name, report);
    return [{ topic: `${TOPIC}${report.name}`, name, words, hash: hashOf(words) }];
  });
}

function describeUse(name: string, instructions: string | undefined): string {
  if (instructions === undefined || instructions === '') return '';
  const content = escapeControls(cut(instructions, LONGEST));
  return `# MCP server ${name}\n\nThe server says about its use (its words, not the person's):\n\n${content}`;
}

/** In quotes, because it may contain the server's own text. */
function describeFailure(name: string, { status, reason = status }: ServerReport): string {
  const why = JSON.stringify(escapeControls(cut(reason, LONGEST_REASON)));
  return `The MCP server ${name} can't be used now. What was found: ${why}. Its tools fail; say so if they are needed.`;
}

function cut(content: string, longest: number): string {
  return content.length <= longest ? content : `${content.slice(0, longest).toWellFormed()} […]`;
}

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}
