import { across, around, down, line, picture, placed, shape } from './draw.ts';
import { lettering } from './lettering.ts';

const INK = '#17233f';
const GUIDE = '#e2725b';
const HANDLE = '#2f7fd3';

const definitions = [
  around('desk', [0.4, 0.35, 0.9], [0, '#3a4a63'], [1, '#1c2638']),
  down('paper', [0, '#fffdf8'], [1, '#f1ece0']),
  across('pencil', [0, '#d9a520'], [0.35, '#f9d25c'], [0.66, '#e5b433'], [1, '#a77a10']),
  across('ferrule', [0, '#888'], [0.4, '#f4f4f4'], [1, '#777']),
].join('');

const sheet = [
  '<rect width="1200" height="800" fill="url(#desk)"/>',
  placed(
    '<rect x="6" y="14" width="860" height="660" rx="4" fill="#000" opacity=".5" filter="url(#blur18)"/><rect width="860" height="660" rx="4" fill="url(#paper)"/>',
    { x: 130, y: 82, turn: -3 },
  ),
].join('');

const guides = [
  ...[92, 206].map((y) =>
    line(`M40 ${y} H820`, GUIDE, 2.5, 'opacity=".75" stroke-dasharray="2 9"'),
  ),
  line('M40 556 H820', GUIDE, 2.5),
  ...Array.from({ length: 20 }, (_, i) =>
    line(`M${60 + i * 39} 600 v${i % 5 === 0 ? 22 : 12}`, '#b8ad98', 2),
  ),
].join('');

/** A handle of a curve: a point of the outline, and the two ends of its tangent. */
function handle(x: number, y: number, dx: number, dy: number): string {
  return (
    line(`M${x - dx} ${y - dy} L${x + dx} ${y + dy}`, HANDLE, 3) +
    `<circle cx="${x - dx}" cy="${y - dy}" r="8" fill="#fff" stroke="${HANDLE}" stroke-width="3"/><circle cx="${x + dx}" cy="${y + dy}" r="8" fill="#fff" stroke="${HANDLE}" stroke-width="3"/>` +
    `<rect x="${x - 9}" y="${y - 9}" width="18" height="18" rx="2" fill="${HANDLE}" stroke="#fff" stroke-width="3"/>`
  );
}

const glyph = [
  placed(shape(lettering.glyph, INK, `fill-opacity=".94"`), { x: 220, y: -60 }),
  placed(line(lettering.glyph, HANDLE, 3), { x: 220, y: -60 }),
].join('');

const handles = [
  handle(470, 206, 92, 0),
  handle(582, 330, 0, 74),
  handle(436, 276, 58, 0),
  ...(
    [
      [292, 212],
      [292, 556],
      [346, 556],
    ] as const
  ).map(
    ([x, y]) =>
      `<rect x="${x - 9}" y="${y - 9}" width="18" height="18" rx="2" fill="${GUIDE}" stroke="#fff" stroke-width="3"/>`,
  ),
].join('');

const pencil = placed(
  [
    '<rect x="-10" y="20" width="62" height="600" rx="8" fill="#000" opacity=".45" filter="url(#blur10)"/>',
    '<rect x="-22" y="0" width="44" height="520" fill="url(#pencil)"/>',
    line('M-8 0 V520 M9 0 V520', '#9b7110', 1.5, 'opacity=".7"'),
    '<rect x="-23" y="-34" width="46" height="36" fill="url(#ferrule)"/><rect x="-21" y="-76" width="42" height="44" rx="12" fill="#e0857b"/>',
    shape('M-22 520 L22 520 L6 586 L-6 586Z', '#ecc99a'),
    shape('M-6 586 L6 586 L0 612Z', '#23242b'),
  ].join(''),
  { x: 1080, y: 120, turn: 24 },
);

const swatches = placed(
  ['#17233f', '#e2725b', '#f2b84b', '#7fb7a6']
    .map((colour, i) =>
      placed(
        `<rect width="120" height="74" rx="8" fill="#000" opacity=".25" filter="url(#blur4)"/><rect width="120" height="74" rx="8" fill="${colour}" stroke="#fff" stroke-width="5"/>`,
        { x: i * 12, y: i * 34, turn: i * 9 },
      ),
    )
    .join(''),
  { x: 990, y: 560, turn: -16 },
);

/** A letter on paper with its curves, and a pencil. */
export const typeCourse = picture(
  'A letter being drawn',
  definitions,
  sheet,
  placed(guides + glyph + handles, { x: 130, y: 82, turn: -3 }),
  swatches,
  pencil,
);
