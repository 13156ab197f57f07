// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are sources of pages.
import { describe, expect, it } from 'vitest';
import { comparedIn, messagesOf, placeholdersOf, replaceTexts } from './messages.ts';

const textsOf = (source: string) => messagesOf('page.tsx', source).map(({ text }) => text);

/** A source with each of its texts translated by a list. */
function translated(source: string, list: Readonly<Record<string, string>>): string {
  return replaceTexts('page.tsx', source, ({ text }) => {
    const to = list[text];
    return to === undefined ? undefined : [to];
  });
}

describe('messagesOf', () => {
  it('returns the words of an element with all that is within it as one text', () => {
    const source = `
      const a = (
        <p>
          Paid by <b className="soft">{name}</b>, who {isOwner ? 'owns' : 'shares'} link{' '}
          {sale.nodeId} <Icon />
        </p>
      );`;
    expect(textsOf(source)).toEqual([
      'Paid by <0>{name}</0>, who {value} link {nodeId} <1/>',
      'owns',
      'shares',
    ]);
  });

  it('returns each of several elements without words of their own', () => {
    expect(textsOf('<div><h2>Title</h2><p>Text</p></div>')).toEqual(['Title', 'Text']);
  });

  it('returns text attributes, strings and templates, and none that no person reads', () => {
    const source = `
      import x from 'Some Module';
      type Kind = 'A kind' | 'Other';
      const map = { 'A key': 'A value', className: 'soft small' };
      const shown = \`\${count} of \${sale.total} sales\`;
      if (kind === 'Not shown' || map['A key']) localStorage.getItem('Some thing');
      const one = <Box title="Orders" className="wide box" what="the orders" id="Orders" as="section" />;
      const style = \`soft \${styles.hint}\`;
      const url = \`/v1/\${path} x\`;
      const key = 'PageUp';`;
    expect(textsOf(source)).toEqual([
      'A value',
      '{count} of {total} sales',
      'Orders',
      'the orders',
    ]);
  });

  it('returns a single word without a capital only where a text must be', () => {
    const source = `
      const states = { open: 'open', word: 'closed', done: word('finished') };
      const cells = [{ cell: ({ a }) => (a ? 'yes' : 'no') }, ['Limit', a ? 'ever' : b]];
      const pair = ['Label', 'code'];`;
    expect(textsOf(source)).toEqual(['closed', 'finished', 'yes', 'no', 'Limit', 'ever', 'Label']);
  });

  it('returns the nouns of a number as one text with its plural', () => {
    expect(messagesOf('page.ts', "countOf(n, 'sale'); countOf(m, 'match', 'matches')")).toEqual([
      { text: 'sale', plural: 'sales' },
      { text: 'match', plural: 'matches' },
    ]);
  });
});

describe('replaceTexts', () => {
  it('returns the source as it is without translations', () => {
    const source = '<p title="A b">Paid by <b>{name}</b> in {`block ${n}`}</p>;';
    expect(replaceTexts('page.tsx', source, () => undefined)).toBe(source);
  });

  it('puts expressions and elements where the translation names them', () => {
    const source = '<p>Paid by <b className="x">{name} now</b> for {amount}<br /></p>';
    const list = {
      'Paid by <0>{name} now</0> for {amount}<1/>': '{amount} <1/>von <0>jetzt {name}</0>',
    };
    expect(translated(source, list)).toBe(
      '<p>{amount}{" "}<br />{"von "}<b className="x">{"jetzt "}{name}</b></p>',
    );
  });

  it('replaces a text within an expression of a translated text', () => {
    const source = "<p>It is {isOpen ? 'open' : `closed by ${who}`}.</p>";
    const list = {
      'It is {value}.': 'Er ist {value}.',
      open: 'offen',
      'closed by {who}': 'von {who} geschlossen',
    };
    expect(translated(source, list)).toBe(
      '<p>{"Er ist "}{isOpen ? "offen" : `von ${who} geschlossen`}{"."}</p>',
    );
  });

  it('keeps what a translation says from being read as code', () => {
    const list = { 'a b': '"</p>`', 'at {n}': '` $ \\ {n}' };
    expect(translated('<p title="a b">a b</p>', list)).toBe(
      '<p title={"\\"</p>`"}>{"\\"</p>`"}</p>',
    );
    expect(translated('const t = `at ${n}`;', list)).toBe('const t = `\\` $ \\\\ ${n}`;');
  });

  it('keeps the spaces at the ends of a text', () => {
    expect(translated('const t = n + ` of ${m} `;', { 'of {m}': 'von {m}' })).toBe(
      'const t = n + ` von ${m} `;',
    );
  });

  it('replaces both nouns of a number', () => {
    const german = () => ['Verkauf', 'Verkäufe'] as const;
    expect(replaceTexts('page.ts', "countOf(rows.length, 'sale')", german)).toBe(
      'countOf(rows.length, "Verkauf", "Verkäufe")',
    );
  });
});

describe('placeholdersOf', () => {
  it('returns every placeholder, however often it occurs', () => {
    expect(placeholdersOf('{a} <0>x {b}</0> {a}<1/>')).toEqual(
      ['{a}', '{a}', '{b}', '<0>', '</0>', '<1/>'].sort(),
    );
  });
});

describe('comparedIn', () => {
  it('returns strings that are compared, except names of keys', () => {
    const source = `
      if (name !== 'State' || event.key === 'Escape' || title.startsWith('Your own')) a = 'Other';
      switch (kind) { case 'First': break; }`;
    expect(comparedIn('page.ts', source)).toEqual(['State', 'Your own', 'First']);
  });
});
