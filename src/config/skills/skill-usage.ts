/**
 * Records how often and how recently you used each skill on this machine, to decide which skills keep their description
 * in a list that is too long (EX-10). Stored in our home folder. A damaged file is treated as empty.
 */

import { join } from 'node:path';
import type { Host } from '../../host/host.js';
import { readRegularFile } from '../../host/read-regular-file.js';
import { coppiceHome } from '../paths.js';
import { updateJsonFile } from '../update-json-file.js';

/** `score`: the uses until `at`, weighted by age. */
type Use = { readonly name: string; readonly score: number; readonly at: number };
type Usage = { readonly version: 1; readonly skills: readonly Use[] };

const MOST_NAMES = 500;
const LONGEST_NAME = 200;
const MAX_BYTES = 1024 * 1024;
/** The weight of a use halves every two weeks. */
const HALF_LIFE_MS = 14 * 24 * 60 * 60 * 1_000;

/** By name; a higher value means more or more recent uses. Never rejects. */
export async function readSkillUsage(host: Host): Promise<ReadonlyMap<string, number>> {
  try {
    const found = await readRegularFile(host.files, usageFile(host), { most: MAX_BYTES });
    if (found.kind !== 'read') return new Map();
    const now = host.clock.now();
    const { skills } = parseUsage(found.bytes.toString('utf8'));
    return new Map(skills.map((use) => [use.name, rankOf(use, now)]));
  } catch {
    return new Map();
  }
}

/** Never rejects. It may wait for another process, so nothing should wait for it. */
export async function noteSkillUse(host: Host, name: string): Promise<void> {
  if (name.length > LONGEST_NAME) return;
  try {
    const at = host.clock.now();
    await updateJsonFile<Usage>(host, usageFile(host), {
      // A damaged file has no value, so it is not set aside.
      parse: (text) => ({ value: parseUsage(text), damaged: false }),
      change: (usage) => withUse(usage, name, at),
      holds: ({ skills }) => skills.some((use) => use.name === name && use.at >= at),
    });
  } catch {
    // Without a home folder, nothing is stored.
  }
}

function usageFile(host: Host): string {
  return join(coppiceHome(host.env), 'skill-usage.json');
}

function rankOf({ score, at }: Use, now: number): number {
  return score * 2 ** (-Math.max(0, now - at) / HALF_LIFE_MS);
}

/** Idempotent, because an update may be repeated. */
function withUse(usage: Usage, name: string, at: number): Usage {
  const before = usage.skills.find((use) => use.name === name);
  if (before?.at === at) return usage;
  const use = {
    name,
    score: 1 + (before === undefined ? 0 : rankOf(before, at)),
    at: Math.max(at, before?.at ?? 0),
  };
  const others = usage.skills.filter((other) => other !== before).sort((a, b) => rankOf(b, at) - rankOf(a, at));
  return { version: 1, skills: [use, ...others.slice(0, MOST_NAMES - 1)] };
}

function parseUsage(text: string | undefined): Usage {
  try {
    const { skills } = JSON.parse(text ?? '{}') as { skills?: unknown };
    return { version: 1, skills: Array.isArray(skills) ? skills.slice(0, MOST_NAMES).flatMap(parseUse) : [] };
  } catch {
    return { version: 1, skills: [] };
  }
}

function parseUse(value: unknown): readonly Use[] {
  if (typeof value !== 'object' || value === null) return [];
  const { name, score, at } = value as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || name.length > LONGEST_NAME) return [];
  if (typeof score !== 'number' || typeof at !== 'number' || !(score >= 0) || !Number.isFinite(score + at)) return [];
  return [{ name, score, at }];
}
