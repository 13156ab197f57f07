import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Font } from 'satori';
import type { ShareSubject } from './subject.ts';
import { CARD_SIZE, shortened } from './tags.ts';

/** Parts of the font by the characters that they have; a text takes each character from the first that has it. */
const SCRIPTS = ['latin', 'latin-ext', 'cyrillic', 'greek', 'vietnamese'] as const;
const WEIGHTS = [400, 700] as const;

/** Characters that the font has. Others, such as emoji, are left out. */
const UNKNOWN =
  /[^\u0020-\u007e\u00a0-\u00ac\u00ae-\u024f\u0370-\u052f\u1e00-\u1eff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2122]/gu;

const INK = '#14201d';
const SOFT = '#4c5a55';
const ACCENT = '#0b5f56';
const PAPER = '#f6f7f4';

const require = createRequire(import.meta.url);
let loadedFonts: Promise<Font[]> | undefined;

/**
 * Draws a share card: a PNG of 1200 × 630 pixels. Texts are drawn as text whatever they contain. Laying it out takes
 * about 20 ms of this thread; the pixels are computed in another one.
 */
export async function drawCard(subject: ShareSubject): Promise<Uint8Array<ArrayBuffer>> {
  // Loaded for the first card: an API without a site never draws one.
  const [{ default: satori }, { renderAsync }] = await Promise.all([
    import('satori'),
    import('@resvg/resvg-js'),
  ]);
  loadedFonts ??= loadFonts();
  const svg = await satori(cardOf(subject), { ...CARD_SIZE, fonts: await loadedFonts });
  const image = await renderAsync(svg, { font: { loadSystemFonts: false } });
  return new Uint8Array(image.asPng());
}

async function loadFonts(): Promise<Font[]> {
  const home = dirname(require.resolve('@fontsource/inter/package.json'));
  return await Promise.all(
    SCRIPTS.flatMap((script) =>
      WEIGHTS.map(async (weight): Promise<Font> => {
        const file = join(home, 'files', `inter-${script}-${weight}-normal.woff`);
        // The library takes one font of a name, so each part has a name of its own.
        const name = `Inter ${script}`;
        return { name, weight, style: 'normal', data: await readFile(file) };
      }),
    ),
  );
}

/** An element as React would make it: the library reads no other field. */
function element(style: object, ...children: readonly unknown[]) {
  return { type: 'div', key: null, props: { style: { display: 'flex', ...style }, children } };
}

function cardOf({ label, title, figure, detail, merchant }: ShareSubject) {
  const column = { flexDirection: 'column' };
  return element(
    {
      ...column,
      justifyContent: 'space-between',
      boxSizing: 'border-box',
      width: '100%',
      height: '100%',
      padding: '64px 72px',
      borderTop: `16px solid ${ACCENT}`,
      background: PAPER,
      color: INK,
      fontFamily: SCRIPTS.map((script) => `Inter ${script}`).join(', '),
    },
    element(
      column,
      element({ color: SOFT, fontSize: 30 }, line(label, 60)),
      element({ ...wrapped(2), marginTop: 16, fontSize: 62, fontWeight: 700 }, line(title, 80)),
      element(
        { ...wrapped(1), marginTop: 16, fontSize: 34, color: SOFT },
        line(`by ${merchant}`, 50),
      ),
    ),
    element(
      column,
      element(
        { ...wrapped(1), color: ACCENT, fontSize: figureSize(figure), fontWeight: 700 },
        line(figure, 60),
      ),
      element({ ...wrapped(2), marginTop: 8, fontSize: 34 }, line(detail, 110)),
    ),
  );
}

/** Style of a text that may take so many lines. */
const wrapped = (lines: number) => ({
  display: 'block',
  lineClamp: lines,
  wordBreak: 'break-word',
});

/** Pixels of the letters of an amount: a long one is smaller, because no digit may be missing. */
function figureSize(figure: string): number {
  if (figure.length <= 22) return 76;
  return figure.length <= 36 ? 48 : 28;
}

/** A text that can be drawn: without characters that the font lacks, and of limited length. */
function line(text: string, max: number): string {
  const known = text.normalize('NFC').replace(UNKNOWN, ' ').replace(/ +/g, ' ').trim();
  return shortened(known, max);
}
