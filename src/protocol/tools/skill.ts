/** Skill and SearchListing, as every surface knows them. */

import type { FactsAbout } from './tool-facts.js';

export const skillFacts: FactsAbout<'Skill', SkillInput, SkillResponse> = {
  name: 'Skill',
  kind: 'other',
  rule: { matches: 'skill', covers: ['skill'] },
  summary: ({ text }) => `${text('skill')} ${text('args')}`.trim(),
  result: 'none',
};

export const searchListingFacts: FactsAbout<'SearchListing', SearchListingInput> = {
  name: 'SearchListing',
  kind: 'other',
  coordinates: true,
};

export type SkillInput = { readonly skill: string; readonly args?: string | undefined };

export type SkillResponse = { readonly success: true; readonly commandName: string };

export type SearchListingInput = { readonly query: string; readonly kind?: 'skill' | 'agent' | undefined };
