import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { trustModes } from '../../engine/core/events.ts';
import {
  riskOfOpenCampaigns,
  risksOf,
  risksOfEveryMode,
  risksOfMode,
} from '../../engine/core/risks.ts';

const page = readFileSync(new URL('../../docs/use/trust-modes.md', import.meta.url), 'utf8');

/** Text below a heading of the page, up to the next one. */
function sectionOf(heading: string): string {
  const [section = ''] = page.split(`\n## ${heading}\n`).slice(1);
  return section.split('\n## ')[0] ?? '';
}

/** Items of the lists in a section, each on one line. */
function itemsOf(heading: string): string[] {
  const items = sectionOf(heading).matchAll(/^- (.+(?:\n {2}.+)*)$/gm);
  return [...items].map(([, item = '']) => item.replace(/\n {2}/g, ' '));
}

const textsOf = (risks: readonly { readonly text: string }[]) => risks.map(({ text }) => text);

describe('docs/use/trust-modes.md', () => {
  it.each(trustModes)('lists the sentences of %s that API and pages have', (mode) => {
    expect(itemsOf(`\`${mode}\``)).toEqual(textsOf(risksOfMode[mode]));
  });

  it('lists the sentences of every mode', () => {
    const rows = sectionOf('In every mode').matchAll(/^\| (?!---|the merchant can)(.+?) \|/gm);
    expect([...rows].map(([, text]) => text)).toEqual(textsOf(risksOfEveryMode));
  });

  it('lists the sentence of open campaigns', () => {
    expect(itemsOf('What other distributors can do')).toEqual([riskOfOpenCampaigns.text]);
  });
});

describe('risksOf', () => {
  it.each(trustModes)(
    'returns the risks of %s once each, with that of buyers if the campaign is open',
    (trustMode) => {
      const open = risksOf({ trustMode, inviteOnly: false });
      expect(new Set(open.map(({ code }) => code)).size).toBe(open.length);
      expect(open).toEqual([...risksOf({ trustMode, inviteOnly: true }), riskOfOpenCampaigns]);
    },
  );
});
